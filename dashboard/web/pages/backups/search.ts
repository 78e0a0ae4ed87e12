/** The address has the shown check of a target. */
export interface BackupsSearch {
  operation?: string
}

export function readBackupsSearch({ operation }: Record<string, unknown>): BackupsSearch {
  return typeof operation === 'string' && /^[\w-]{1,64}$/.test(operation) ? { operation } : {}
}
