# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of features and images in plain PyTorch, as people write them."""

import torch
import torch.nn.functional as F
from torch import nn

from batches import CLASSES, EXAMPLES, classes, numbers


class Classifier(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, y):
        return F.cross_entropy(self.net(x), y)


def mlp(norm):
    net = nn.Sequential(nn.Linear(12, 32), norm(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 32), nn.ReLU(),
                        nn.Dropout(0.2), nn.Linear(32, CLASSES))
    return Classifier(net), {"x": numbers(12), "y": classes()}


class Regression(nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 32), nn.SiLU(), nn.Linear(32, 32), nn.ELU(), nn.Linear(32, 3))
        self.loss = loss

    def forward(self, x, y):
        return self.loss(self.net(x), y)


def regression(loss, binary=False):
    return Regression(loss), {"x": numbers(12), "y": (numbers(3) > 0).float() if binary else numbers(3)}


class Cnn(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.bn2 = nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.pool, self.drop, self.fc = nn.MaxPool2d(2), dropout(0.1), nn.Linear(16 * 4 * 4, CLASSES)

    def forward(self, x, y):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.drop(self.pool(F.relu(self.bn2(self.conv2(x)))))
        return F.cross_entropy(self.fc(x.flatten(1)), y)


class Mobile(nn.Module):
    """Depthwise and pointwise convolutions, ReLU6, squeeze and excitation, hardswish."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
        self.depth = nn.Sequential(nn.Conv2d(8, 8, 3, 1, 1, groups=8, bias=False), nn.BatchNorm2d(8), nn.Hardswish())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 1),
                                     nn.Hardsigmoid())
        self.point, self.fc = nn.Sequential(nn.Conv2d(8, 16, 1, bias=False), nn.BatchNorm2d(16)), nn.Linear(16, CLASSES)

    def forward(self, x, y):
        x = self.depth(self.stem(x))
        x = self.point(x * self.squeeze(x))
        return F.cross_entropy(self.fc(x.mean([2, 3])), y)


def images(model):
    return model, {"x": numbers(3, 16, 16), "y": classes()}


class Unet(nn.Module):
    """Down, up by interpolation, beside what was before; a class for every pixel."""

    def __init__(self, mode):
        super().__init__()
        def conv(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.GroupNorm(2, o), nn.SiLU())
        self.a, self.b, self.c, self.out = conv(3, 4), conv(4, 8), conv(12, 4), nn.Conv2d(4, 3, 1)
        self.mode = mode

    def forward(self, x, y):
        a = self.a(x)
        up = F.interpolate(self.b(F.max_pool2d(a, 2)), scale_factor=2, mode=self.mode)
        return F.cross_entropy(self.out(self.c(torch.cat([up, a], 1))), y)


def unet(mode):
    return Unet(mode), {"x": numbers(3, 16, 16), "y": torch.randint(3, (EXAMPLES, 16, 16))}


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.ReLU(), nn.Conv2d(4, 8, 3, 2, 1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(8, 4, 2, 2), nn.ReLU(), nn.ConvTranspose2d(4, 1, 2, 2), nn.Sigmoid())

    def forward(self, x):
        return F.mse_loss(self.up(self.down(x)), x)


class Variational(nn.Module):
    """Reconstruction and divergence, without drawing."""

    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(12, 16), nn.Linear(4, 12)
        self.mu, self.logvar = nn.Linear(16, 4), nn.Linear(16, 4)

    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        divergence = -0.5 * torch.mean(torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1))
        return F.mse_loss(self.dec(mu), x) + 0.1 * divergence


class Siamese(nn.Module):
    """A module that is called twice; a margin."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, a, b, y):
        similarity = F.cosine_similarity(self.net(a), self.net(b))
        return (y * (1 - similarity) + (1 - y) * (similarity - 0.1).clamp(min=0)).mean()


class Contrastive(nn.Module):
    """CLIP's: features of a batch against each other."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.scale = nn.Linear(12, 8), nn.Linear(10, 8), nn.Parameter(torch.tensor(1.0))

    def forward(self, a, b):
        a, b = F.normalize(self.a(a), dim=-1), F.normalize(self.b(b), dim=-1)
        logits = self.scale.exp() * a @ b.t()
        labels = torch.arange(logits.shape[0], device=logits.device)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


MODELS = {
    "MLP, dropout": lambda: mlp(nn.Identity),
    "MLP, batch norm": lambda: mlp(nn.BatchNorm1d),
    "regression, mse": lambda: regression(F.mse_loss),
    "regression, l1": lambda: regression(F.l1_loss),
    "regression, smooth l1": lambda: regression(F.smooth_l1_loss),
    "binary cross-entropy": lambda: regression(F.binary_cross_entropy_with_logits, binary=True),
    "CNN, batch norm": lambda: images(Cnn(nn.Dropout)),
    "CNN, Dropout2d": lambda: images(Cnn(nn.Dropout2d)),
    "MobileNet block": lambda: images(Mobile()),
    "U-Net, nearest": lambda: unet("nearest"),
    "U-Net, bilinear": lambda: unet("bilinear"),
    "autoencoder": lambda: (Autoencoder(), {"x": numbers(1, 16, 16).sigmoid()}),
    "variational": lambda: (Variational(), {"x": numbers(12)}),
    "siamese": lambda: (Siamese(), {"a": numbers(12), "b": numbers(12), "y": classes(2).float()}),
    "contrastive": lambda: (Contrastive(), {"a": numbers(12), "b": numbers(10)}),
}

# What they compute depends on which examples are together in a micro-batch.
TOGETHER = {"MLP, batch norm", "CNN, batch norm", "CNN, Dropout2d", "MobileNet block", "contrastive"}
