"""Why a model says what it says, in the names that people gave to columns.

============= ================================================================
parts         a pipeline as features and the machine at its end
feature_names names of features, through transformers: words, column=value
class_weights how much a feature speaks for a class, or for one against another
explain       `explain`: telling features, their importance, one row
explanation   what is found, as text and for programs
pictures      the same as a plot, and as HTML for notebooks; text_bars, as text
============= ================================================================
"""
