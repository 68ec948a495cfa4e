"""LeakCallback of Lightning and of transformers, on a tiny training loop each."""

import importlib

import pytest

import leakgraph
from leakgraph.trainers import Watching

pytestmark = pytest.mark.libraries


@pytest.mark.parametrize("name", ["lightning", "transformers"])
def test_nothing_else_is_there(name):
    module = importlib.import_module(f"leakgraph.{name}")
    with pytest.raises(AttributeError, match="no attribute 'Other'"):
        module.Other


def test_a_training_ends_with_a_report(capfd):
    callback = Watching(budget=0.5)
    callback.abandon()  # before a training has begun
    callback.begin()
    callback.count()
    callback.stop()
    assert capfd.readouterr().err.startswith("leakgraph: Watched for 1 steps.\n")


def test_lightning(tmp_path):
    lightning = pytest.importorskip("lightning.pytorch")
    import torch

    from leakgraph.lightning import LeakCallback

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def training_step(self, batch, index):
            if self.fails:
                raise KeyError("mine")
            return self.layer(batch).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    for fails in (False, True):
        callback = LeakCallback(budget=0.5)
        trainer = lightning.Trainer(
            max_epochs=2,
            callbacks=[callback],
            default_root_dir=tmp_path,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        model = Model()
        model.fails = fails
        data = torch.utils.data.DataLoader(torch.randn(20, 4), batch_size=2)
        if fails:
            with pytest.raises(KeyError, match="mine"):
                trainer.fit(model, data)
        else:
            trainer.fit(model, data)
            assert callback.watch.steps == 20
        assert "stopped" in repr(callback.watch)


def test_transformers(tmp_path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    import torch

    from leakgraph.transformers import LeakCallback

    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            n_layer=1, n_head=2, n_embd=8, vocab_size=16, n_positions=8
        )
    )
    rows = [{"input_ids": torch.arange(8), "labels": torch.arange(8)}] * 8
    callback = LeakCallback(on_leak="warn")
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path),
        max_steps=5,
        per_device_train_batch_size=2,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        disable_tqdm=True,
    )
    transformers.Trainer(
        model=model, args=arguments, train_dataset=rows, callbacks=[callback]
    ).train()
    assert isinstance(callback.watch, leakgraph.Watch)
    assert callback.watch.steps == 5
    assert "stopped" in repr(callback.watch)
