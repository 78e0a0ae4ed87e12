import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '#dashboard/web/api/servers.ts'

/** Whether the server of a site is offline: actions that need its agent are disabled then. */
export function useServerOffline({ server_id }: { server_id: number }): boolean {
  const { data } = useQuery(serverQuery(server_id))
  return data?.status === 'offline'
}
