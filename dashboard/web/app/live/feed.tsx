import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useFeed } from '#dashboard/web/api/use-events.ts'
import { FleetNews } from '#shared/operations/api/live.ts'
import { gather } from './gather.ts'

/** Keeps the data of every page current with one stream; missed changes are requested again. */
export function Feed() {
  const client = useQueryClient()
  const [news] = useState(() => gather(client))
  useEffect(() => () => news.stop(), [news])
  useFeed(
    '/api/fleet/events',
    ({ data }) => {
      const read = FleetNews.safeParse(data)
      if (read.success) news.add(read.data)
    },
    () => void client.invalidateQueries(),
  )
  return null
}
