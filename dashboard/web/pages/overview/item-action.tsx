import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw, RotateCw } from 'lucide-react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { retryOperation } from '#dashboard/web/api/operations.ts'
import { useSync } from '#dashboard/web/features/servers/use-sync.ts'
import { readSitesSearch } from '#dashboard/web/features/sites/search.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { AttentionItem, AttentionKind } from '#shared/api/attention.ts'

interface ItemActionProps {
  kind: AttentionKind
  item: AttentionItem
}

/** What helps with one incident, beside its page: its name leads there. */
export function ItemAction({ kind, item }: ItemActionProps) {
  const { name, server_id, operation_id, count, query } = item
  if (operation_id !== null) return <Retry operation_id={operation_id} name={name} />
  if (kind === 'server_offline' && server_id !== null)
    return <AskAgain server={{ id: server_id, name }} />
  if (query) {
    const sites = formatCount(count, 'site')
    return (
      <ButtonLink
        kind="quiet"
        to="/sites"
        search={readSitesSearch(query)}
        aria-label={`Show ${sites} on ${name}`}
      >
        Show {sites}
      </ButtonLink>
    )
  }
  return null
}

function AskAgain({ server }: { server: { id: number; name: string } }) {
  const { sync, isSyncing } = useSync(server)
  return (
    <Button
      kind="quiet"
      icon={<RefreshCw />}
      aria-label={`Reconnect: ${server.name}`}
      busy={isSyncing}
      onClick={sync}
    >
      Reconnect
    </Button>
  )
}

function Retry({ operation_id, name }: { operation_id: string; name: string }) {
  const client = useQueryClient()
  const { mutate, isPending, data } = useMutation({
    mutationFn: () => retryOperation(operation_id),
    onError: (error) => toast(`Not retried: ${messageOf(error)}`, { error: true }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
  if (data !== undefined)
    return (
      <ButtonLink kind="quiet" to="/operations/$operation_id" params={{ operation_id: data }}>
        Show progress
      </ButtonLink>
    )
  return (
    <Button
      kind="quiet"
      icon={<RotateCw />}
      aria-label={`Retry for ${name}`}
      busy={isPending}
      onClick={() => mutate()}
    >
      Retry
    </Button>
  )
}
