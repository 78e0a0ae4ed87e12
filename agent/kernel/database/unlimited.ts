import type { Host } from '#agent/kernel/host/ports.ts'

/**
 * Runs a dump or an import of the agent with the account of a site. Its statements may take longer
 * than the limit of the tier: their reader or writer sets the speed, such as the upload of a backup.
 */
export async function unlimited<T>(
  { unlimited: running }: Pick<Host, 'unlimited'>,
  user: string,
  work: () => Promise<T>,
): Promise<T> {
  const end = beginUnlimited({ unlimited: running }, user)
  try {
    return await work()
  } finally {
    end()
  }
}

/** `unlimited` for work that is not one function; the returned function is called at its end. */
export function beginUnlimited(
  { unlimited: running }: Pick<Host, 'unlimited'>,
  user: string,
): () => void {
  running.set(user, (running.get(user) ?? 0) + 1)
  return () => {
    const others = (running.get(user) ?? 1) - 1
    if (others > 0) running.set(user, others)
    else running.delete(user)
  }
}
