import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Ban, Bot, Check, KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { groupsQuery } from '#dashboard/web/api/groups.ts'
import { policyQuery } from '#dashboard/web/api/policy.ts'
import {
  activateServiceAccount,
  changeServiceAccount,
  createServiceAccount,
  createServiceToken,
  deactivateServiceAccount,
  deleteServiceToken,
  removeServiceAccount,
  serviceAccountsQuery,
} from '#dashboard/web/api/service-accounts.ts'
import { PartGrants } from '#dashboard/web/features/access/part-grants.tsx'
import { CreatedToken } from '#dashboard/web/features/tokens/created-token.tsx'
import {
  EMPTY_TOKEN,
  TOKEN_FIELDS,
  TokenFields,
  tokenInput,
} from '#dashboard/web/features/tokens/token-fields.tsx'
import { TokenTable } from '#dashboard/web/features/tokens/token-table.tsx'
import { ROLE_OPTIONS, ROLE_TEXTS } from '#dashboard/web/labels/role.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import { SERVICE_ROLES, type ServiceAccount } from '#shared/access/api/service-accounts.ts'
import type { ApiToken } from '#shared/kernel/api/auth.ts'
import type { Role } from '#shared/kernel/rights.ts'
import { GroupList } from './group-rights.tsx'
import {
  hasExtraSecrets,
  type RightsDraft,
  RightsFields,
  rightsFieldNames,
  rightsInput,
} from './rights-fields.tsx'

/** The accounts of the fleet, which admins see, and owners change. */
export function ServiceAccounts() {
  const mayList = useMay()('admin')
  const { data, error, refetch } = useQuery({ ...serviceAccountsQuery, enabled: mayList })
  const { dialog, show } = useDialog()
  if (!mayList) return null
  return (
    <section className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold">Service accounts</h2>
          <p className="text-muted">
            For scripts of the fleet: they belong to nobody, and their API tokens stay when people
            leave.
          </p>
        </div>
        <Button needs="accounts" icon={<Bot />} onClick={show}>
          Add service account
        </Button>
      </div>
      {!data && (
        <Card flush>
          <QueryState of={{ data, error, refetch }} rows={2} flush />
        </Card>
      )}
      {data?.map((account) => (
        <ServiceAccountCard key={account.id} account={account} />
      ))}
      <Edit {...dialog} />
    </section>
  )
}

interface AccountProps {
  account: ServiceAccount
}

function ServiceAccountCard({ account }: AccountProps) {
  const { id, name, role, secrets, parts, groups, state, tokens } = account
  const isActive = state === 'active'
  const creating = useDialog()
  const editing = useDialog()
  const removing = useDialog()
  const [toDelete, setToDelete] = useState<ApiToken>()
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: serviceAccountsQuery.queryKey })
  return (
    <Card
      title={name}
      flush
      actions={
        <>
          <Badge>{role === null ? 'no role' : ROLE_TEXTS[role].name}</Badge>
          {secrets && role !== 'admin' && <Badge>sees secrets</Badge>}
          {!isActive && <Badge tone="bad">deactivated</Badge>}
          {isActive && (
            <Button
              needs="accounts"
              icon={<KeyRound />}
              aria-label={`Create token of ${name}`}
              onClick={creating.show}
            >
              Create token
            </Button>
          )}
          <Button
            needs="accounts"
            icon={<Pencil />}
            aria-label={`Change ${name}`}
            onClick={editing.show}
          >
            Change
          </Button>
          <Switch account={account} onDone={refresh} />
          <Button
            needs="accounts"
            icon={<Trash2 />}
            aria-label={`Remove ${name}`}
            onClick={removing.show}
          >
            Remove
          </Button>
        </>
      }
    >
      {parts.length > 0 && (
        <div className="px-4 pt-4">
          <PartGrants parts={parts} />
        </div>
      )}
      {groups.length > 0 && (
        <div className="px-4 pt-4">
          <h3 className="mb-1.5 text-xs text-muted">By groups</h3>
          <GroupList groups={groups} />
        </div>
      )}
      {tokens.length === 0 && <p className="px-4 py-4 text-muted">No API tokens yet.</p>}
      {tokens.length > 0 && <TokenTable tokens={tokens} needs="accounts" onDelete={setToDelete} />}
      <NewToken {...creating.dialog} account={account} />
      <Edit {...editing.dialog} account={account} />
      <Confirm
        {...removing.dialog}
        title={`Remove ${name}?`}
        action="Remove service account"
        isDestructive
        onConfirm={async () => {
          await removeServiceAccount(id)
          await client.invalidateQueries({ queryKey: groupsQuery.queryKey })
          await refresh()
          await client.invalidateQueries({ queryKey: policyQuery.queryKey })
        }}
      >
        Its API tokens are refused from then on. This cannot be undone.
      </Confirm>
      <Confirm
        open={toDelete !== undefined}
        onClose={() => setToDelete(undefined)}
        title={`Delete the token ${toDelete?.name ?? ''}?`}
        action="Delete token"
        isDestructive
        onConfirm={async () => {
          if (!toDelete) return
          await deleteServiceToken(id, toDelete.id)
          await refresh()
        }}
      >
        Requests with this token are refused from then on. This cannot be undone.
      </Confirm>
    </Card>
  )
}

interface SwitchProps extends AccountProps {
  onDone: () => Promise<void>
}

/** Deactivates the account, or activates it again. */
function Switch({ account: { id, name, state }, onDone }: SwitchProps) {
  const { dialog, show } = useDialog()
  const isActive = state === 'active'
  const action = isActive ? 'Deactivate' : 'Activate'
  return (
    <>
      <Button
        needs="accounts"
        icon={isActive ? <Ban /> : <Check />}
        aria-label={`${action} ${name}`}
        onClick={show}
      >
        {action}
      </Button>
      <Confirm
        {...dialog}
        title={`${action} ${name}?`}
        action={`${action} service account`}
        isDestructive={isActive}
        onConfirm={async () => {
          await (isActive ? deactivateServiceAccount(id) : activateServiceAccount(id))
          await onDone()
        }}
      >
        {isActive
          ? 'Its API tokens are refused until you activate it again.'
          : 'Its API tokens work again, with the same rights.'}
      </Confirm>
    </>
  )
}

const NewToken = dialogOf(TokenForm, ({ account }) => ({
  title: `Create an API token of ${account.name}`,
}))

function TokenForm({ account, onClose }: AccountProps & DialogState) {
  const [draft, setDraft] = useState(EMPTY_TOKEN)
  const { form, refusals, result } = useFormCall(
    () => createServiceToken(account.id, tokenInput(draft)),
    {
      fields: TOKEN_FIELDS,
      changes: [serviceAccountsQuery.queryKey],
      isSecret: true,
      onClose,
    },
  )
  if (result) return <CreatedToken plaintext={result.plaintext} onClose={onClose} />
  return (
    <DialogForm action="Create token" {...form}>
      <TokenFields draft={draft} refusals={refusals} onChange={setDraft} />
    </DialogForm>
  )
}

interface EditProps extends DialogState {
  /** The account that is changed; without one, a new one is made. */
  account?: ServiceAccount
}

const Edit = dialogOf(EditForm, ({ account }: EditProps) => ({
  title: account ? `Change ${account.name}` : 'Add a service account',
}))

const isServiceRole = (role: Role | null) =>
  role === null || SERVICE_ROLES.some((each) => each === role)

const ROLES = ROLE_OPTIONS.filter(({ value }) => isServiceRole(value))

const NEW: RightsDraft = { role: 'operator', secrets: false, parts: [] }

function EditForm({ account, onClose }: EditProps) {
  const [name, setName] = useState(account?.name ?? '')
  const [draft, setDraft] = useState(
    account ? { ...account, secrets: hasExtraSecrets(account) } : NEW,
  )
  const role = SERVICE_ROLES.find((each) => each === draft.role) ?? null
  const body = { name, ...rightsInput(draft), role }
  const { form, refusals } = useFormCall(
    () => (account ? changeServiceAccount(account.id, body) : createServiceAccount(body)),
    {
      fields: ['name', ...rightsFieldNames(draft)],
      changes: [serviceAccountsQuery.queryKey],
      onDone: onClose,
      onClose,
    },
  )
  return (
    <DialogForm
      action={account ? 'Save changes' : 'Add service account'}
      {...form}
      isBlocked={name.trim() === ''}
    >
      <TextField
        name="name"
        label="Name"
        hint="What uses it, such as deploy robot. The activity shows it."
        error={refusals.name}
        data-first
        value={name}
        maxLength={64}
        onChange={setName}
      />
      <RightsFields draft={draft} refusals={refusals} onChange={setDraft} roles={ROLES} />
    </DialogForm>
  )
}
