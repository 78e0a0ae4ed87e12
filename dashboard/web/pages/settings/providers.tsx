import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IdCard, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  changeProvider,
  identityProvidersQuery,
  loginProvidersQuery,
  removeProvider,
  testProvider,
} from '#dashboard/web/api/sso.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { type IdentityProvider, MAX_PROVIDERS } from '#shared/access/api/single-sign-on.ts'
import { ProviderForm } from './provider-form.tsx'

const CHANGES = [identityProvidersQuery.queryKey, loginProvidersQuery.queryKey, ['activity']]

/** The providers of single sign-on, which owners change. */
export function IdentityProviders() {
  const { data, error, refetch } = useQuery(identityProvidersQuery)
  const [chosen, setChosen] = useState<IdentityProvider>()
  const [tested, setTested] = useState<TestedProvider>()
  const form = useDialog()
  const removal = useDialog()
  const client = useQueryClient()
  const open = (provider: IdentityProvider | undefined, dialog: typeof form) => {
    setChosen(provider)
    dialog.show()
  }
  const add = (
    <Button needs="accounts" icon={<Plus />} onClick={() => open(undefined, form)}>
      Add identity provider
    </Button>
  )
  const providers = data?.providers ?? []
  const isRoom = providers.length > 0 && providers.length < MAX_PROVIDERS
  return (
    <Card title="Single sign-on" flush actions={isRoom && add}>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && <Problem text={data.problem} />}
      {data && providers.length === 0 && (
        <Empty icon={<IdCard />} title="No identity provider" action={add}>
          With a provider of OpenID Connect, people log in with the account that they have there.
          Passwords still work.
        </Empty>
      )}
      {tested && <Tested {...tested} />}
      {providers.length > 0 && (
        <ProviderTable
          providers={providers}
          onTest={setTested}
          onChange={(provider) => open(provider, form)}
          onRemove={(provider) => open(provider, removal)}
        />
      )}
      <ProviderForm
        key={chosen?.key ?? ''}
        {...form.dialog}
        provider={chosen}
        base={data?.redirect_base ?? null}
      />
      <Confirm
        {...removal.dialog}
        title={`Remove the identity provider ${chosen?.name ?? ''}?`}
        action="Remove provider"
        isDestructive
        onConfirm={async () => {
          if (chosen) await removeProvider(chosen.key)
          setTested(undefined)
          for (const queryKey of CHANGES) void client.invalidateQueries({ queryKey })
        }}
      >
        {chosen && `${accountsOf(chosen)} Their sessions end, and their logins are unlinked.`}
      </Confirm>
    </Card>
  )
}

/** Why no provider can be used; null: they can. */
function Problem({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <div className="p-4">
      <Notice kind="warn" title="Nobody can log in with a provider">
        {text}
      </Notice>
    </div>
  )
}

interface TestedProvider {
  name: string
  problems: readonly string[]
}

function Tested({ name, problems }: TestedProvider) {
  const isFine = problems.length === 0
  return (
    <div className="p-4">
      <Notice
        kind={isFine ? 'info' : 'bad'}
        title={`${name} ${isFine ? 'can be used' : 'has a problem'}`}
      >
        {isFine ? 'Only a login shows whether it accepts the client secret.' : problems.join('. ')}
      </Notice>
    </div>
  )
}

function accountsOf({ accounts, only_way }: IdentityProvider): string {
  const linked = accounts === 1 ? '1 account is' : `${accounts} accounts are`
  return `${linked} linked with it, ${only_way} of them without another way to log in.`
}

interface ProviderTableProps {
  providers: readonly IdentityProvider[]
  onTest: (tested: TestedProvider) => void
  onChange: (provider: IdentityProvider) => void
  onRemove: (provider: IdentityProvider) => void
}

const ProviderTable = ({ providers, onTest, onChange, onRemove }: ProviderTableProps) => (
  <RecordTable
    label="Identity providers"
    isStacked
    rows={providers}
    keyOf={({ key }) => key}
    columns={[
      { name: 'Name', className: 'font-medium break-words', show: ({ name }) => name },
      { name: 'Issuer', className: 'wrap-anywhere', show: ({ issuer }) => issuer },
      {
        name: 'Redirect address',
        className: 'wrap-anywhere',
        show: ({ redirect_uri }) =>
          redirect_uri && (
            <span className="inline-flex items-center gap-1">
              {redirect_uri}
              <Copy text={redirect_uri} what="the redirect address" />
            </span>
          ),
      },
      {
        name: 'State',
        show: ({ is_enabled }) => (
          <Badge tone={is_enabled ? 'good' : 'plain'}>{is_enabled ? 'on' : 'off'}</Badge>
        ),
      },
      { name: 'Accounts', isNumber: true, show: ({ accounts }) => accounts },
      {
        name: 'Actions',
        isUnnamed: true,
        cell: 'text-right',
        show: (provider) => (
          <span className="inline-flex flex-wrap justify-end gap-2">
            <ActionButton
              needs="accounts"
              aria-label={`Test ${provider.name}`}
              call={() => testProvider(provider.key)}
              onSuccess={(problems) => onTest({ name: provider.name, problems })}
            >
              Test
            </ActionButton>
            <ActionButton
              needs="accounts"
              aria-label={`Switch ${provider.is_enabled ? 'off' : 'on'} ${provider.name}`}
              call={() => changeProvider(provider.key, { is_enabled: !provider.is_enabled })}
              changes={CHANGES}
            >
              {provider.is_enabled ? 'Switch off' : 'Switch on'}
            </ActionButton>
            <Button
              needs="accounts"
              icon={<Pencil />}
              aria-label={`Change ${provider.name}`}
              onClick={() => onChange(provider)}
            >
              Change
            </Button>
            <Button
              needs="accounts"
              icon={<Trash2 />}
              aria-label={`Remove ${provider.name}`}
              onClick={() => onRemove(provider)}
            >
              Remove
            </Button>
          </span>
        ),
      },
    ]}
  />
)
