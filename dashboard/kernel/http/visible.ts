/** The part of the fleet that a caller may see: all of these servers, and single sites of others. */
export interface Visible {
  server_ids: readonly number[]
  site_ids: readonly number[]
}

/** Returns the parts of the visible servers, and with them those of single sites of others. */
export const partsOf = <P>(
  { server_ids }: Visible,
  ofServers: ReadonlyMap<number, P>,
  ofSites: ReadonlyMap<number, P>,
): ReadonlyMap<number, P> =>
  new Map([...[...ofServers].filter(([id]) => server_ids.includes(id)), ...ofSites])

/** Returns what names other sites, without those that are not visible. */
export const withVisible = <
  Row extends { also_on: readonly { server_id: number; site_id: number }[] },
>(
  row: Row,
  visible: Visible | undefined,
): Row => ({ ...row, also_on: row.also_on.filter((other) => seesSite(visible, other)) })

/** Whether a server as a whole is visible. */
export const seesServer = (visible: Visible | undefined, server_id: number | null): boolean =>
  visible === undefined || (server_id !== null && visible.server_ids.includes(server_id))

/** Whether a site is visible, or with null as its id, its server as a whole. */
export const seesSite = (
  visible: Visible | undefined,
  { server_id, site_id }: { server_id: number | null; site_id: number | null },
): boolean =>
  seesServer(visible, server_id) ||
  (site_id !== null && (visible?.site_ids.includes(site_id) ?? true))
