import type { Client } from '#tests/support/client.ts'

/**
 * Every route of app/routes.tsx, and an address of it. The client looks up the necessary objects in
 * the records of the dashboard; without one, the page says that it does not exist.
 */
export const PLACES: Record<string, (client: Client) => Promise<string>> = {
  '/login': async () => '/login',
  '/invitation': async () => '/invitation',
  '/reset': async () => '/reset',
  '/sso/$provider': async () => '/sso/none',
  '/second-factor': async () => '/second-factor',
  '/': async () => '/',
  '/servers': async () => '/servers',
  '/servers/new': async () => '/servers/new',
  '/servers/$server_id': async () => '/servers/1',
  '/servers/$server_id/lost': async () => '/servers/1/lost',
  '/sites': async () => '/sites',
  '/sites/new': async () => '/sites/new',
  '/sites/$site_id': async () => '/sites/1',
  '/operations': async () => '/operations',
  '/operations/bulk/$bulk_id': async (client) =>
    `/operations/bulk/${await first(client, '/api/bulk-operations', 'bulk_operations')}`,
  '/operations/$operation_id': async (client) =>
    `/operations/${await first(client, '/api/operations', 'operations')}`,
  '/backups': async () => '/backups',
  '/people': async () => '/people',
  '/people/$person_id': async () => '/people/1',
  '/trash': async () => '/trash',
  '/activity': async () => '/activity',
  '/settings': async () => '/settings',
  '/account': async () => '/account',
  '/your-sites': async () => '/your-sites',
  '/your-sites/$site_id': async () => '/your-sites/1',
  '/docs': async () => '/docs',
  '/docs/components': async () => '/docs/components',
}

/** The paths in app/routes.tsx. */
export async function routesOfPages(): Promise<string[]> {
  const source = await Bun.file('dashboard/web/app/routes.tsx').text()
  return [...source.matchAll(/^ +path: '(.+)',$/gm)].map(([, path = '']) => path)
}

/** Starts a bulk operation, so that there is one to be shown. */
export async function startBulk(client: Client): Promise<void> {
  const body = { type: 'cache.purge', params: {}, targets: { site_ids: [1, 2] } }
  const { status, text } = await client.post('/api/bulk-operations', body)
  if (status !== 202) throw new Error(text)
}

async function first(client: Client, path: string, list: string): Promise<number | string> {
  const { body } = await client.get(path)
  const [one] = (body as Record<string, { id: number | string }[]>)[list] ?? []
  return one?.id ?? 1
}
