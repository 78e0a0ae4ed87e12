import { Button } from '#dashboard/web/ui/button.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { Client } from './client-dialog.tsx'

interface ClientTableProps {
  clients: readonly Client[]
  isOffline: boolean
  /** Absent: client accounts are turned off. */
  onReset?: (client: Client) => void
  onEnd: (client: Client) => void
}

export function ClientTable({ clients, isOffline, onReset, onEnd }: ClientTableProps) {
  const now = useNow()
  return (
    <Table
      label="Client accounts"
      head={
        <>
          <Head>Client</Head>
          <Head>User</Head>
          <Head>Until</Head>
          <Head>State</Head>
          <Head className="text-right">Actions</Head>
        </>
      }
    >
      {clients.map((client) => (
        <tr key={client.token}>
          <Cell className="font-medium break-words">{client.label}</Cell>
          <Cell className="font-mono text-xs break-all">{client.login ?? ''}</Cell>
          <Cell>
            <Time at={client.expires_at} none="no limit" />
          </Cell>
          <Cell>
            <State client={client} now={now} />
          </Cell>
          <Cell className="text-right whitespace-nowrap">
            {onReset && (
              <Button
                kind="quiet"
                aria-label={`Reset password of ${client.label}`}
                disabled={isOffline}
                onClick={() => onReset(client)}
              >
                Reset password
              </Button>
            )}
            <Button
              kind="quiet"
              aria-label={`Remove ${client.label}`}
              disabled={isOffline}
              onClick={() => onEnd(client)}
            >
              Remove
            </Button>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function State({ client, now }: { client: Client; now: number }) {
  const { expires_at, applied } = client
  if (expires_at !== null && Date.parse(expires_at) <= now) return <Badge tone="bad">expired</Badge>
  if (!applied) return <Badge tone="warn">changed on the server</Badge>
  return <Badge tone="good">can log in</Badge>
}
