import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  addProvider,
  changeProvider,
  identityProvidersQuery,
  loginProvidersQuery,
} from '#dashboard/web/api/sso.ts'
import { ROLE_OPTIONS } from '#dashboard/web/labels/role.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { ClaimRole, IdentityProvider } from '#shared/access/api/single-sign-on.ts'

interface ProviderFormProps extends DialogState {
  /** The provider to change; undefined for a new one. */
  provider?: IdentityProvider | undefined
  /** What stands before the key in a redirect address; null: the dashboard does not know it. */
  base: string | null
}

export const ProviderForm = dialogOf(Form, ({ provider }: ProviderFormProps) => ({
  title: provider ? `Change the identity provider ${provider.name}` : 'Add an identity provider',
}))

const NEW = {
  name: '',
  issuer: '',
  client_id: '',
  scope: 'openid email profile',
  own_factor: false,
  claim: '',
  roles: [] as readonly ClaimRole[],
}
const MAX_KEY = 32

/** Makes the end of the redirect address out of the name of a provider. */
const keyOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_KEY)
    .replace(/^-|-$/g, '')

function Form({ provider, base, onClose }: ProviderFormProps) {
  const [draft, setDraft] = useState(
    provider ? { ...NEW, ...provider, claim: provider.claim ?? '' } : NEW,
  )
  const [secret, setSecret] = useState('')
  const { name, issuer, client_id, scope, own_factor, claim, roles } = draft
  const key = provider?.key ?? keyOf(name)
  const mapping = { claim: claim.trim() === '' ? null : claim, roles: [...roles] }
  const body = { name, client_id, scope, own_factor, ...mapping }
  const { form, refusals } = useFormCall(
    () =>
      provider
        ? changeProvider(key, { ...body, ...(secret !== '' && { client_secret: secret }) })
        : addProvider({ ...body, key, issuer, client_secret: secret }),
    {
      fields: [...Object.keys(NEW), 'key', 'client_secret'],
      changes: [identityProvidersQuery.queryKey, loginProvidersQuery.queryKey, ['activity']],
      onDone: onClose,
      onClose,
    },
  )
  const text = (field: 'name' | 'issuer' | 'client_id' | 'scope' | 'claim') => ({
    name: field,
    error: refusals[field],
    value: draft[field],
    autoComplete: 'off',
    onChange: (next: string) => setDraft({ ...draft, [field]: next }),
  })
  const isWhole = name.trim() !== '' && issuer !== '' && client_id !== ''
  return (
    <DialogForm
      action={provider ? 'Save provider' : 'Add provider'}
      {...form}
      isBlocked={!isWhole || (!provider && secret === '')}
    >
      <TextField
        {...text('name')}
        label="Name"
        maxLength={64}
        hint={
          base === null
            ? undefined
            : `Register this redirect address at the provider: ${base}${key}`
        }
        error={refusals.name ?? refusals.key}
      />
      <TextField
        {...text('issuer')}
        label="Issuer"
        readOnly={provider !== undefined}
        hint="The address that the provider calls itself, such as https://login.example.com/realms/staff."
      />
      <TextField {...text('client_id')} label="Client ID" maxLength={256} />
      <TextField
        name="client_secret"
        label="Client secret"
        hint={
          provider
            ? 'Leave empty to keep the current secret.'
            : 'It is stored encrypted, and never shown.'
        }
        error={refusals.client_secret}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={setSecret}
      />
      <TextField {...text('scope')} label="Scope" maxLength={200} />
      <CheckField
        label="The provider asks for a second factor itself"
        about="Then this dashboard does not ask for a code after a login with it."
        checked={own_factor}
        onChange={(next) => setDraft({ ...draft, own_factor: next })}
      />
      <TextField
        {...text('claim')}
        label="Claim for roles"
        maxLength={100}
        hint="Such as groups. Whoever has one of the values below gets an account, and its role at each login. Empty: accounts are invited or linked only."
      />
      <Roles
        roles={roles}
        error={refusals.roles}
        onChange={(next) => setDraft({ ...draft, roles: next })}
      />
    </DialogForm>
  )
}

const OPTIONS = ROLE_OPTIONS.flatMap(({ value, name }) =>
  value === 'owner' || value === null ? [] : [{ value, name }],
)

interface RolesProps {
  roles: readonly ClaimRole[]
  error: string | undefined
  onChange: (roles: readonly ClaimRole[]) => void
}

/** The values of the claim, and the role that each gives. */
function Roles({ roles, error, onChange }: RolesProps) {
  const change = (at: number, part: Partial<ClaimRole>) =>
    onChange(roles.map((one, index) => (index === at ? { ...one, ...part } : one)))
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">Roles by the claim</legend>
      {roles.map(({ value, role }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a value is typed, and has no id
        <div key={at} className="flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-40">
            <TextField
              name={`roles_${at}`}
              label={`Value ${at + 1}`}
              maxLength={200}
              value={value}
              onChange={(next) => change(at, { value: next })}
            />
          </div>
          <div className="basis-32">
            <SelectField
              name={`role_${at}`}
              label={`Role ${at + 1}`}
              value={role}
              options={OPTIONS}
              onChange={(next) => change(at, { role: next })}
            />
          </div>
          <IconButton
            name={`Remove value ${at + 1}`}
            icon={<Trash2 />}
            onClick={() => onChange(roles.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
      <div>
        <Button icon={<Plus />} onClick={() => onChange([...roles, { value: '', role: 'viewer' }])}>
          Add value
        </Button>
      </div>
    </fieldset>
  )
}
