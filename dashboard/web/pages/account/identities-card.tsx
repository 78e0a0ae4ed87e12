import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import {
  identitiesQuery,
  loginProvidersQuery,
  startLink,
  unlinkIdentity,
} from '#dashboard/web/api/sso.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { Identity } from '#shared/access/api/single-sign-on.ts'

/** The logins at providers that also open the account; nothing where there is no provider. */
export function IdentitiesCard() {
  const { data, error, refetch } = useQuery(identitiesQuery)
  const { data: providers = [] } = useQuery(loginProvidersQuery)
  const [toUnlink, setToUnlink] = useState<Identity>()
  const client = useQueryClient()
  const unlink = async () => {
    if (toUnlink) await unlinkIdentity(toUnlink.id)
    for (const queryKey of [identitiesQuery.queryKey, ['sessions'], ['activity']])
      void client.invalidateQueries({ queryKey })
    toast('The login is unlinked')
  }
  const linked = data?.identities ?? []
  if (providers.length === 0 && linked.length === 0) return null
  const others = providers.filter(({ name }) => !linked.some(({ provider }) => provider === name))
  return (
    <Card
      title="Linked logins"
      flush
      actions={others.map(({ key, name }) => (
        <ActionButton key={key} icon={<Link2 />} call={() => startLink(key)}>
          Link {name}
        </ActionButton>
      ))}
    >
      <p className="px-4 py-4 text-muted">
        Whoever logs in as one of these at its provider is logged in to your account.
        {data?.has_password === false && ' Your account has no password.'}
      </p>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {linked.length > 0 && <IdentityTable identities={linked} onUnlink={setToUnlink} />}
      <Confirm
        open={toUnlink !== undefined}
        onClose={() => setToUnlink(undefined)}
        title={`Unlink ${toUnlink?.label ?? ''}?`}
        action="Unlink login"
        isDestructive
        onConfirm={unlink}
      >
        It no longer logs in to your account, and your other sessions end.
      </Confirm>
    </Card>
  )
}

interface IdentityTableProps {
  identities: readonly Identity[]
  onUnlink: (identity: Identity) => void
}

const IdentityTable = ({ identities, onUnlink }: IdentityTableProps) => (
  <RecordTable
    label="Linked logins"
    isStacked
    rows={identities}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Provider',
        className: 'font-medium break-words',
        show: ({ provider }) => provider ?? 'Removed',
      },
      { name: 'Name there', className: 'break-words', show: ({ label }) => label },
      { name: 'Linked', show: ({ linked_at }) => <Time at={linked_at} /> },
      {
        name: 'Actions',
        isUnnamed: true,
        cell: 'text-right',
        show: (identity) => (
          <Button aria-label={`Unlink ${identity.label}`} onClick={() => onUnlink(identity)}>
            Unlink
          </Button>
        ),
      },
    ]}
  />
)
