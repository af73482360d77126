"""Draw the pictures of docs/published anew from simulated campaigns: ``python scripts/make_published_images.py``.

Each command writes its report, and of its figures those listed below go into docs/images; a few minutes.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FIVE = '"iP[0.00],iP[0.01],iP[0.05],iP[0.10],MAiP"'
MADE = (
    "simulate inex pal --year 2008 --systems 61 --topics 70 --documents 2000 --results 500 --seed 0",
    "simulate inex kazai --year 2004 --systems 15 --topics 16 --documents 250 --results 300 --seed 1",
    (
        "simulate inex thorough --year 2005 --task thorough --systems 55 --topics 29 --documents 200 --results 300 "
        "--seed 0"
    ),
    (
        "simulate inex inex2005 --year 2005 --systems 12 --topics 15 --documents 500 --results 200 --pool 200 "
        "--articles --seed 1"
    ),
    (
        "simulate inex inex2006 --year 2006 --systems 12 --topics 15 --documents 500 --results 200 --pool 200 "
        "--articles --seed 1"
    ),
)
"""The campaigns."""
DRAWN = {
    f"judgments pal/submissions --qrels pal/assessments --metrics {FIVE} --question less-judging,shallower-pools,"
    "fewer-topics --reductions relevant,share,topics --tested 0 --replicates 10": {
        "stability_relevant": "pal-2010/stability_relevant",
        "stability_share": "pal-2010/stability_share",
        "stability_topics": "pal-2010/stability_topics",
        "pool_growth_topics": "pal-2010/pool_growth_topics",
    },
    'topics pal/submissions --qrels pal/assessments --metrics "iP[0.01],MAiP" --no-bayes --interval-resamples 0': {
        "published_curves": "pal-2010/published_curves",
    },
    "report pal/submissions --qrels pal/assessments --metrics MAiP --test t --no-topics --interval-resamples 0": {
        "precision-recall-best": "pal-2010/precision-recall-best",
    },
    "reliability kazai/assessments kazai/submissions --element-sizes kazai/sizes.txt "
    '--metrics "inex2002(quant=SOG),nxCGpercent(quant=SOG)"': {
        "curve-0": "kazai-2004-inex2002",
        "curve-1": "kazai-2004-nxcg",
    },
    "agree thorough/submissions --qrels thorough/assessments --element-sizes thorough/sizes.txt "
    '--audit "MAep(task=thorough)" --test bootstrap_percentile --alternative better --interval-resamples 0 '
    '--metric-pair "MAep(quant=Gen5, task=thorough),MAep(quant=GenLifted, task=thorough)" '
    '--metric-pair "MAep(quant=FullySpec, task=thorough),MAep(quant=Strict5, task=thorough)"': {
        "disagreement_MAep(quant=Gen5_task=thorough)_MAep(quant=GenLifted_task=thorough)": "ogilvie-gen5-genlifted",
        "disagreement_MAep(quant=FullySpec_task=thorough)_MAep(quant=Strict5_task=thoroug": "ogilvie-fullyspec-strict5",
    },
    'assessment inex2005/assessments --runs "inex2005/submissions/team[1-3]*" --new-runs "inex2005/submissions/team4*" '
    "--documents inex2005/articles --element-sizes inex2005/sizes.txt --rounds results": {
        "pool-growth": "piwowarski-growth",
        "new-runs": "piwowarski-new-runs",
        "specificity": "piwowarski-specificity",
        "sizes": "piwowarski-sizes",
        "passages-law": "piwowarski-passages",
    },
    "assessment inex2006/assessments --documents inex2006/articles": {"entries": "piwowarski-entries"},
}
"""What is drawn: the command, and of its figures those that go into the pages, under which name."""


def main() -> None:
    """Make the campaigns and the reports in a folder that is thrown away, and keep the figures."""
    program = f"{sys.executable} -m metaeval"
    with tempfile.TemporaryDirectory() as place:
        for line in MADE:
            subprocess.run(f"{program} {line} --quiet", shell=True, cwd=place, check=True)  # noqa: S602 - lines from above
        for line, figures in DRAWN.items():
            subprocess.run(  # noqa: S602 - as above
                f"{program} {line} --quiet --overwrite --out report",
                shell=True,
                cwd=place,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            for drawn, kept in figures.items():
                shutil.copyfile(Path(place, "report", "figures", f"{drawn}.svg"), IMAGES / f"{kept}.svg")


if __name__ == "__main__":
    main()
