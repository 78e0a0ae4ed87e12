import type { Site } from '#dashboard/web/api/sites.ts'

type Operation = Site['operations'][number]

const isTroubled = ({ status, warnings }: Operation) => status === 'failed' || warnings.length > 0

/**
 * The last operation that failed or has warnings, whose log may tell why a site does not work;
 * undefined when the same was done since, and well. `operations`: newest first.
 */
export function troubledOperation(operations: readonly Operation[]): Operation | undefined {
  const done = new Set<string>()
  for (const operation of operations) {
    if (isTroubled(operation) && !done.has(operation.type)) return operation
    if (operation.status === 'success') done.add(operation.type)
  }
  return undefined
}
