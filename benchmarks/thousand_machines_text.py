"""What the page about 1,000 machines says that no record changes."""

BEFORE = """# A run on 1,000 machines

Written by `make bench-scale` from the records of [partitions](benchmarks-scale.md):
nothing here was run on more than two cores. Rates are measured, formulas are in
`benchmarks/thousand_machines.py`, the rest is arithmetic. 1,000 machines of 32
cores and 128 GB each, a network of 10 Gbit/s, 10^10 rows: once as text, once as
dense rows like those of covtype."""

TASKS = """`rest` on text is arithmetic on matrices of the size of W, in NumPy, outside
the sequential driver, most of it where the tree is added up; on dense rows it is
copying dual variables and computing losses. `tasks` is Dask: its scheduler is one
process, and its cost grows with partitions, not with machines. It was measured with
scheduler and workers on the same two cores, so a cluster would do somewhat better,
by a factor, not by a power. With W in place, `rest` is what it needs at least, and
by guess: losses, 0.4 of an epoch, and six passes over W at 10 GB/s; tasks that stay
are 10 ms, also by guess."""

ROUNDS = """To a gap of 1e-3, fitted as rounds = factor x partitions^power to the
fits that converged on 2 to {largest} partitions; the columns of 1,000 and 32,000
partitions are extrapolated. Where rounds became fewer, by chance, their mean is
taken."""

ROUNDS_END = """This is pessimistic: our data sets are cut into ever smaller
partitions, down to some hundred rows, while partitions of a run with 10^10 rows
have 10^7 rows each and are nearly alike if rows are shuffled, and a problem whose
partitions are alike takes few rounds whatever their number. The optimistic end is
the column of 2. Which of the two is nearer cannot be told from one machine."""

CHANGES = """In the order of what they save:

1. **One partition for each machine**, with the cores as threads inside the driver,
   where W is shared. It takes a thirty-second of the tasks, of the copies of W, and
   of the partitions that rounds grow with. Today: `n_jobs` of the local driver;
   what it lacks is a worker with 32 threads that gets one task.
2. **W once on a machine**: what partitions begin from and the sum of their changes
   belong to the machine, not to each process, updated in place by the core in one
   pass, every machine for its share of the features and not one for all.
3. **No scheduler within a round.** Tasks that stay for the whole run and exchange
   changes among themselves, while Dask places them, restarts them and shows them.
   Faults are then handled by checkpoints of dual variables every few rounds, no
   longer by lineage; for maximum entropy, where none of them is zero, they are
   larger than the rows.
4. **An all-reduce for the tree**: every machine adds up a thousandth of W and sends
   it to all. The traffic of a machine is twice W and does not grow with machines;
   no node sees a whole W but in parts, and the program that calls `fit` needs none
   at all but sums and, at the end, the model. Today the root of the tree holds
   seven, and the model comes to the program in every round.
5. **Less of W**: only touched rows, which saves nothing while partitions are so
   large that they touch all frequent features; hashing to fewer features; a byte
   for a number with the rounding carried over to the next round, where
   `traffic="float32"` already rebuilds W exactly before the gap is certified.
6. **W by parts** over the machines where it does not fit into one (10^6 features
   and 10^5 classes are 400 GB): by classes for one-vs-rest, whose classes do not
   meet at all; by features otherwise, with a row's scores summed over the network,
   which is another method.
7. **Stragglers**: a round is as long as its slowest machine. Visits are counted,
   not timed, so that a run can be repeated; a share of visits by the speed of each
   machine, decided once at the beginning, keeps that."""

LIMITS = """Ask first whether all rows are needed. With 54 features and 7 classes, W
has 378 numbers; 10^7 of the rows, chosen at random, should give the same model as
far as a test set can tell, and train on one machine in minutes. 10^10 rows are
worth their cost where features are many and rare, as in text."""
