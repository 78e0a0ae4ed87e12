/** What the address of a site's page holds: the operation that is shown there. */
export interface SiteSearch {
  operation?: string
}

export function readSiteSearch({ operation }: Record<string, unknown>): SiteSearch {
  const isId = typeof operation === 'string' && /^[\w-]{1,64}$/.test(operation)
  return isId ? { operation } : {}
}
