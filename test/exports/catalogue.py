# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All models, by name."""

import buffer_models
import gradient_models
import parameter_models
import plain_models
import sequence_models
import transformers_models

MODELS = (parameter_models.MODELS | gradient_models.MODELS | buffer_models.MODELS | plain_models.MODELS |
          sequence_models.MODELS | transformers_models.MODELS)
TOGETHER = parameter_models.TOGETHER | buffer_models.TOGETHER | plain_models.TOGETHER
