/** The argv that starts a program which waits for all others: nice(1), ionice(1). */
export const LOW_PRIORITY = ['nice', '-n', '19', 'ionice', '--ignore', '--class', 'idle'] as const
