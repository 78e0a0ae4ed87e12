import { Trash2 } from 'lucide-react'
import { placeText } from '#dashboard/web/labels/role.ts'
import { SCOPE_TEXTS } from '#dashboard/web/labels/scope.ts'
import { IconButton } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { type Column, RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { ApiToken } from '#shared/kernel/api/auth.ts'
import type { Right } from '#shared/kernel/rights.ts'

interface TokenTableProps {
  tokens: readonly ApiToken[]
  /** The right to delete them; that of the own account without one. */
  needs?: Right
  /** Deletes a token; undefined where the tokens are only shown. */
  onDelete?: (token: ApiToken) => void
}

/** Lists tokens with their limits and their last use. */
export const TokenTable = ({ tokens, needs, onDelete }: TokenTableProps) => (
  <RecordTable
    label="API tokens"
    rows={tokens}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Name', className: 'font-medium break-words', show: ({ name }) => name },
      { name: 'May do', show: (token) => <Limits token={token} /> },
      { name: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
      { name: 'Expires', show: ({ expires_at }) => <Expiry at={expires_at} /> },
      { name: 'Last used', show: (token) => <LastUse token={token} /> },
      ...(onDelete ? [actionsOf({ needs, onDelete })] : []),
    ]}
  />
)

function actionsOf({
  needs,
  onDelete,
}: Required<Pick<TokenTableProps, 'onDelete'>> & { needs: Right | undefined }): Column<ApiToken> {
  return {
    name: 'Actions',
    isUnnamed: true,
    className: 'text-right',
    show: (token) => (
      <IconButton
        needs={needs}
        name={`Delete the token ${token.name}`}
        icon={<Trash2 />}
        onClick={() => onDelete(token)}
      />
    ),
  }
}

interface TokenProps {
  token: ApiToken
}

/** The scope, and where and from which addresses the token may be used. */
const Limits = ({ token: { scope, addresses, only_for } }: TokenProps) => (
  <>
    {SCOPE_TEXTS[scope].name}
    {only_for && (
      <span className="block text-xs wrap-anywhere text-muted">
        Only for {only_for.map(placeText).join(', ')}
      </span>
    )}
    {addresses && (
      <span className="block text-xs wrap-anywhere text-muted">
        Only from {addresses.join(', ')}
      </span>
    )}
  </>
)

function LastUse({ token: { last_used_at, last_address, refused } }: TokenProps) {
  return (
    <>
      {last_used_at === null ? <Badge>never used</Badge> : <Time at={last_used_at} />}
      {last_address !== null && (
        <span className="block text-xs wrap-anywhere text-muted">from {last_address}</span>
      )}
      {refused > 0 && (
        <span className="block text-xs text-bad">
          {formatCount(refused, 'call')} from other addresses refused
        </span>
      )}
    </>
  )
}

function Expiry({ at }: { at: string }) {
  if (Date.parse(at) > useNow()) return <Time at={at} />
  return <Badge tone="bad">expired</Badge>
}
