# The page that `snakemake --report report.html` opens with; tables and figures name their own captions.


report: "../report/workflow.rst"
