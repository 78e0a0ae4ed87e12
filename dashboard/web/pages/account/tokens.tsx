import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { deleteToken, tokensQuery } from '#dashboard/web/api/account.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { ApiToken } from '#shared/kernel/api/auth.ts'
import { NewToken } from './new-token.tsx'
import { SCOPES } from './scopes.ts'

/** For scripts: each has the rights of its scope until it expires. */
export function Tokens() {
  const { data, error, refetch } = useQuery(tokensQuery)
  const { dialog, show } = useDialog()
  const [toDelete, setToDelete] = useState<ApiToken>()
  const client = useQueryClient()
  const remove = async ({ id, name }: ApiToken) => {
    await deleteToken(id)
    await client.invalidateQueries({ queryKey: ['tokens'] })
    toast(`The token ${name} is deleted`)
  }
  return (
    <Card
      title="API tokens"
      flush
      actions={
        <Button icon={<Plus />} onClick={show}>
          Create token
        </Button>
      }
    >
      <p className="px-4 py-4 text-muted">
        For scripts, which send it as <code className="font-mono">Authorization: Bearer</code>. A
        token does what its scope allows until it expires. No token can create tokens, change your
        password or rotate keys.
      </p>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && data.length > 0 && <TokenTable tokens={data} onDelete={setToDelete} />}
      <NewToken {...dialog} />
      <Confirm
        open={toDelete !== undefined}
        onClose={() => setToDelete(undefined)}
        title={`Delete the token ${toDelete?.name ?? ''}?`}
        action="Delete token"
        isDestructive
        onConfirm={async () => toDelete && remove(toDelete)}
      >
        Requests with this token are refused from then on. This cannot be undone.
      </Confirm>
    </Card>
  )
}

interface TokenTableProps {
  tokens: readonly ApiToken[]
  onDelete: (token: ApiToken) => void
}

function TokenTable({ tokens, onDelete }: TokenTableProps) {
  return (
    <Table
      label="API tokens"
      head={
        <>
          <Head>Name</Head>
          <Head>Scope</Head>
          <Head>Created</Head>
          <Head>Expires</Head>
          <Head>Last used</Head>
          <Head>
            <span className="sr-only">Actions</span>
          </Head>
        </>
      }
    >
      {tokens.map((token) => (
        <tr key={token.id}>
          <Cell className="font-medium break-words">{token.name}</Cell>
          <Cell>{SCOPES[token.scope].name}</Cell>
          <Cell>
            <Time at={token.created_at} />
          </Cell>
          <Cell>
            <Expiry at={token.expires_at} />
          </Cell>
          <Cell>
            <Time at={token.last_used_at} />
          </Cell>
          <Cell className="text-right">
            <IconButton
              name={`Delete the token ${token.name}`}
              icon={<Trash2 />}
              onClick={() => onDelete(token)}
            />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function Expiry({ at }: { at: string }) {
  if (Date.parse(at) > Date.now()) return <Time at={at} />
  return <span className="text-bad">Expired</span>
}
