import type { FleetNews } from '#shared/api/live.ts'

/** What shows the thing that has changed, by the keys of the queries. */
export function staleKeys(news: FleetNews): readonly (readonly unknown[])[] {
  switch (news.kind) {
    case 'server':
      return [['fleet'], ['servers', news.id]]
    case 'site':
      return [
        ...(news.id === null ? [['site']] : [['site', news.id]]),
        ['sites'],
        ['fleet'],
        ['trash'],
        ['servers', news.server_id, 'sites'],
      ]
    case 'bulk':
      return [
        ['bulk', news.id, 'state'],
        ['bulk', 'recent'],
      ]
    case 'operation':
      return news.operation.finished_at === null ? [] : [['activity'], ['fleet']]
  }
}
