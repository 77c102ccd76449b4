"""Exercises: tasks from a seed, their answers, and the usual mistakes, all derived.

units, topics       units of answers; variants and quantities to choose from
asked               a task as data
rewriting           programs as a usual mistake reads them
answer              a task's answer, in symbols and as a number
changing, slips     the usual mistakes: what each changes, and what then comes out
sources, recipes, generating           how tasks are drawn from a seed
phrases, wording, hints                questions in words, and what helps
pasted, typed, rounding                what a person typed, and what it rounds
marking, explaining                    the verdict on it, in words
"""
