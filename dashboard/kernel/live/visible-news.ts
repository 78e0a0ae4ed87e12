import type { Database } from '#dashboard/kernel/db/client.ts'
import { findPlaces, findSitePlaces } from '#dashboard/kernel/http/places.queries.ts'
import { seesServer, seesSite, type Visible } from '#dashboard/kernel/http/visible.ts'
import type { FleetNews } from '#shared/operations/api/live.ts'
import { siteNews } from './detect-changes.ts'

/**
 * Returns the news of what a caller may see. News of any site of a server become those of the single
 * sites on it that the caller sees; those of a bulk operation need each of its targets.
 */
export async function newsFor(
  db: Database,
  news: readonly FleetNews[],
  visible: Visible | undefined,
): Promise<readonly FleetNews[]> {
  if (!visible) return news
  const single = await findSitePlaces(db, visible.site_ids)
  const seen = await Promise.all(
    news.map(async (one): Promise<readonly FleetNews[]> => {
      if (one.kind === 'bulk') return (await seesBulk(db, visible, one.id)) ? [one] : []
      if (isSeen(visible, one)) return [one]
      if (one.kind !== 'site' || one.id !== null) return []
      return single
        .filter(({ server_id }) => server_id === one.server_id)
        .map(({ site_id, server_id }) => siteNews(site_id, server_id))
    }),
  )
  return seen.flat()
}

type ObjectNews = Exclude<FleetNews, { kind: 'bulk' }>

function isSeen(visible: Visible, news: ObjectNews): boolean {
  if (news.kind === 'operation') return seesSite(visible, news.operation)
  if (news.kind === 'server') return seesServer(visible, news.id)
  return seesSite(visible, { server_id: news.server_id, site_id: news.id })
}

async function seesBulk(db: Database, visible: Visible, bulk_id: string): Promise<boolean> {
  const places = await findPlaces(db, { bulk_id })
  return places.length > 0 && places.every((place) => seesSite(visible, place))
}
