import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useFeed } from '#dashboard/web/api/use-events.ts'
import { FleetNews } from '#shared/api/live.ts'
import { gather } from './gather.ts'

/** Keeps what every page shows current by one stream; what was missed is asked for again. */
export function Feed() {
  const client = useQueryClient()
  const [news] = useState(() => gather(client))
  useEffect(() => () => news.stop(), [news])
  useFeed(
    '/api/fleet/events',
    ({ data }) => {
      const read = FleetNews.safeParse(data)
      if (read.success) news.hear(read.data)
    },
    () => void client.invalidateQueries(),
  )
  return null
}
