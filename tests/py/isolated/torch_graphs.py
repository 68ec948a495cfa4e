"""Makes autograd graphs of many kinds, by name: each gives a tensor at its end."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Product(torch.autograd.Function):
    """A Function in Python that saves its inputs and its output."""

    @staticmethod
    def forward(ctx, left, right):
        result = left * right
        ctx.save_for_backward(left, right, result)
        ctx.note = ["not a tensor"]
        return result

    @staticmethod
    def backward(ctx, gradient):
        left, right, _ = ctx.saved_tensors
        return gradient * right, gradient * left


class Packed:
    def __init__(self, tensor):
        self.tensor = tensor


def ones(*shape, grad=True):
    return torch.ones(*shape, requires_grad=grad)


def mlp():
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
    return model(torch.randn(16, 64)).sum()


def cnn():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.ConvTranspose2d(8, 4, 3),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(),
    )
    return model(torch.randn(2, 3, 16, 16)).mean()


def transformer():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    return layer(torch.randn(2, 7, 32)).sum()


def lstm():
    return nn.LSTM(8, 16, num_layers=2)(torch.randn(5, 3, 8))[0].sum()


def gru():
    cell = nn.GRUCell(8, 8)
    state = torch.zeros(3, 8)
    for _ in range(6):
        state = cell(torch.randn(3, 8), state)
    return state.sum()


def indexing():
    x = ones(6, 4)
    return (x[torch.tensor([0, 2]), torch.tensor([1, 1])] + x[1:3, ::2].sum()).sum()


def index_put():
    x = ones(6, 4) * 2
    x[torch.tensor([0, 2])] = ones(2, 4)
    return x.sum()


def custom_function():
    x = ones(8)
    return (Product.apply(x, x * 2) * Product.apply(x.exp(), x)).sum()


def saved_hooks():
    x = ones(8)
    with torch.autograd.graph.saved_tensors_hooks(Packed, lambda p: p.tensor):
        return (x * x.exp()).tanh().sum()


def save_on_cpu():
    x = ones(8)
    with torch.autograd.graph.save_on_cpu():
        return (x * x.exp()).tanh().sum()


def checkpoint():
    from torch.utils.checkpoint import checkpoint as again

    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8))
    return again(model, ones(4, 8), use_reentrant=False).sum()


def reentrant_checkpoint():
    from torch.utils.checkpoint import checkpoint as again

    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8))
    return again(model, ones(4, 8), use_reentrant=True).sum()


def stack_and_cat():
    x = ones(5)
    rows = torch.stack([x, x * 2, x * 3])
    return torch.cat([rows, rows.exp()]).prod(0).sum()


def in_place_on_a_view():
    x = ones(6) * 3
    view = x.view(2, 3)
    view.mul_(2)
    view[0].add_(1)
    return x.sin().sum()


def double_backward():
    x = ones(5)
    (gradient,) = torch.autograd.grad((x.tanh() * x).sum(), x, create_graph=True)
    return gradient.pow(2).sum()


def decompositions():
    x = torch.randn(4, 4, requires_grad=True)
    return torch.linalg.svdvals(x).sum() + torch.linalg.solve(x, x.T).sum()


def einsum():
    return torch.einsum("ij,jk,kl->il", ones(3, 4), ones(4, 5), ones(5, 2)).sum()


def attention():
    if not hasattr(nn.functional, "scaled_dot_product_attention"):
        return ones(3).sum()
    q = torch.randn(1, 2, 5, 8, requires_grad=True)
    return nn.functional.scaled_dot_product_attention(q, q * 2, q.exp()).sum()


def foreach():
    rows = torch._foreach_mul([ones(3), ones(4)], [ones(3), ones(4)])
    return sum(row.sum() for row in rows)


def parts():
    x = ones(6, 4)
    first, second = x.split(3)
    top, _ = (first * second).topk(2)
    return torch.where(top > 0, top, -top).sum() + x.unbind()[1].norm()


def gathered():
    x = ones(4, 4)
    index = torch.zeros(4, 4, dtype=torch.long)
    return x.gather(0, index).scatter_add(1, index, x).cumsum(0).logsumexp(1).sum()


def embedding():
    table = nn.Embedding(10, 4)
    target = torch.tensor([1, 2, 3])
    return (
        nn.functional.cross_entropy(table(target), target)
        + nn.EmbeddingBag(10, 4)(target.view(1, 3)).sum()
    )


def complex_numbers():
    x = torch.randn(8, requires_grad=True)
    return torch.fft.rfft(x).abs().sum() + torch.view_as_real(torch.fft.fft(x)).sum()


def expanded():
    x = ones(1, 4)
    return (x.expand(6, 4) * x.t().reshape(-1)).permute(1, 0).squeeze().sum((0, 1))


def kept_gradient():
    x = ones(5)
    y = x * 2
    y.retain_grad()
    z = (y * y).sum()
    z.backward(retain_graph=True)
    return z


def after_backward():
    x = ones(5)
    z = (x * x.exp()).sum()
    z.backward()
    return z


def node_hooks():
    x = ones(5)
    y = x.exp()
    y.register_hook(lambda g: None)
    y.grad_fn.register_hook(lambda *g: None)
    return (y * x).sum()


def anomaly_detection():
    with torch.autograd.detect_anomaly():
        return (ones(5).exp() * 2).sum()


def sparse_and_losses():
    x = ones(4, 4)
    sparse = torch.eye(4).to_sparse()
    loss = nn.functional.mse_loss(torch.sparse.mm(sparse, x), torch.zeros(4, 4))
    return loss + nn.functional.kl_div(x.log_softmax(1), x.softmax(1)) + x.std()


def long_chain():
    x = ones(1)
    for _ in range(3000):
        x = x + 1
    return x.sum()


GRAPHS = {
    make.__name__: make
    for make in (
        mlp,
        cnn,
        transformer,
        lstm,
        gru,
        indexing,
        index_put,
        custom_function,
        saved_hooks,
        save_on_cpu,
        checkpoint,
        reentrant_checkpoint,
        stack_and_cat,
        in_place_on_a_view,
        double_backward,
        decompositions,
        einsum,
        attention,
        foreach,
        parts,
        gathered,
        embedding,
        complex_numbers,
        expanded,
        kept_gradient,
        after_backward,
        node_hooks,
        anomaly_detection,
        sparse_and_losses,
        long_chain,
    )
}
