import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { keysQuery, rotateKey } from '#dashboard/web/api/settings.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { KeyView } from '#shared/servers/api/keys.ts'

const STATES: Record<KeyView['state'], { tone: Tone; about: string }> = {
  current: { tone: 'good', about: 'Given to every agent' },
  leaving: { tone: 'warn', about: 'Used for agents that do not have the current key yet' },
  retired: { tone: 'plain', about: 'Only used to hand over the current key' },
}

/** The signing keys that agents trust. */
export function Keys() {
  const { dialog, show } = useDialog()
  const { data, error, refetch } = useQuery(keysQuery)
  const client = useQueryClient()
  const rotate = useMutation({
    mutationFn: rotateKey,
    onSuccess: (keys) => {
      client.setQueryData(keysQuery.queryKey, keys)
      toast('The signing key was rotated. The agents receive the new key.')
    },
  })
  return (
    <Card
      title="Signing keys"
      flush
      actions={
        <Button needs="admin" icon={<KeyRound />} onClick={show}>
          Rotate key
        </Button>
      }
    >
      <p className="max-w-prose p-4 text-muted">
        Each request to an agent is signed, and an agent accepts requests only from the holder of
        this key.
      </p>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && <KeyTable keys={data} />}
      <Confirm
        {...dialog}
        title="Rotate the signing key?"
        action="Rotate key"
        onConfirm={() => rotate.mutateAsync()}
      >
        Agents get the new key at their next sync, offline agents when they are online again. The
        previous key stays valid for a day. Rotate the key if somebody may have a copy of it or of a
        backup.
      </Confirm>
    </Card>
  )
}

const KeyTable = ({ keys }: { keys: readonly KeyView[] }) => (
  <RecordTable
    label="Signing keys"
    rows={keys}
    keyOf={({ kid }) => kid}
    columns={[
      {
        name: 'Key',
        show: ({ kid, hub_key }) => (
          <span className="flex items-center gap-1 font-mono text-xs">
            {kid}
            <Copy text={hub_key} what="the key for hosting-agent trust" />
          </span>
        ),
      },
      {
        name: 'State',
        show: ({ state }) => (
          <>
            <Badge tone={STATES[state].tone}>{state}</Badge>
            <span className="ml-2 hidden text-xs text-muted lg:inline">{STATES[state].about}</span>
          </>
        ),
      },
      { name: 'Agents', isNumber: true, show: ({ agents }) => formatNumber(agents) },
      {
        name: 'Created',
        className: 'max-sm:hidden',
        show: ({ created_at }) => <Time at={created_at} />,
      },
      { name: 'Ends', show: ({ until }) => <Time at={until} none="–" /> },
    ]}
  />
)
