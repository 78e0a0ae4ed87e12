import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Pencil, Plus, RefreshCw, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { dnsAccountsQuery, dnsPlanQuery, setDnsRecords } from '#dashboard/web/api/dns.ts'
import { domainStatesQuery, domainsQuery, setDomains } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useDnsChoice } from '#dashboard/web/features/sites/dns-choice.tsx'
import { readSiteSearch } from '#dashboard/web/features/sites/site-search.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { ChangePrimary } from '#dashboard/web/pages/domains/primary/change-primary.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
import { Mistake } from '#dashboard/web/ui/mistake.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { useDebounced } from '#dashboard/web/ui/use-debounced.ts'
import type { DnsRecordPlan } from '#shared/domains/api/dns.ts'
import type { SiteDomains } from '#shared/domains/api/domains.ts'
import { allNamesOf, pairOf, SiteNames } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Draft, type DraftRedirect, draftOf, emptyRedirect, namesOf } from './draft.ts'
import { NameRows } from './name-rows.tsx'
import { Expected } from './name-states.tsx'

/** All names of the site, and the dialog that changes them. */
export function DomainsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(domainsQuery(site))
  const { dialog, show } = useDialog()
  const primary = usePrimaryDialog()
  const record = useDialog()
  const seesFleet = useMay()('read', 'fleet')
  const { data: accounts = [] } = useQuery({ ...dnsAccountsQuery, enabled: seesFleet })
  const [name, setName] = useState('')
  const isOffline = useServerOffline(site)
  const states = useQuery({ ...domainStatesQuery(site), enabled: isOnServer && !isOffline })
  const change = (chosen: string) => {
    setName(chosen)
    primary.show()
  }
  return (
    <Card
      title="Domains"
      flush
      actions={
        isOnServer &&
        data && (
          <>
            <Button
              icon={<RefreshCw />}
              disabled={isOffline}
              busy={states.isFetching}
              onClick={() => void states.refetch()}
            >
              Check DNS
            </Button>
            <Button
              needs="operate"
              icon={<Star />}
              disabled={isOffline || site.status !== 'active'}
              onClick={() => change('')}
            >
              Change primary domain
            </Button>
            <Button needs="operate" icon={<Pencil />} disabled={isOffline} onClick={show}>
              Edit domains
            </Button>
          </>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} />
      {data && (
        <NameRows
          domains={data}
          states={states.data}
          zones={accounts.flatMap(({ zones }) => zones)}
          onRecord={(chosen) => {
            setName(chosen)
            record.show()
          }}
          onPrimary={isOnServer && !isOffline && site.status === 'active' ? change : undefined}
        />
      )}
      {states.error && !states.data && <Unknown reason={messageOf(states.error)} />}
      {states.data && <Expected states={states.data} />}
      <CreateRecord {...record.dialog} site={site} name={name} />
      <ChangePrimary {...primary.dialog} key={name} site={site} name={name} />
      {data && <EditDomains key={String(dialog.open)} {...dialog} site={site} domains={data} />}
    </Card>
  )
}

const Unknown = ({ reason }: { reason: string }) => (
  <p role="alert" className="border-t border-line px-4 py-3 text-xs text-warn">
    DNS and certificates of the names are unknown. {reason}
  </p>
)

/** Also open while the address says so. */
function usePrimaryDialog() {
  const { dialog, show } = useDialog()
  const navigate = useNavigate()
  const isRequested = useSearch({
    strict: false,
    select: (raw) => readSiteSearch({ ...raw }).primary === true,
  })
  const onClose = () => {
    dialog.onClose()
    if (isRequested) void navigate({ to: '.', search: { tab: 'domains' }, replace: true })
  }
  return { dialog: { open: dialog.open || isRequested, onClose }, show }
}

interface CreateRecordProps extends DialogState {
  site: Site
  name: string
}

/** The planned DNS records of a name, and the button that sets them. */
const CreateRecord = dialogOf(Form, ({ name }) => ({
  title: `DNS records of ${unicodeOf(name)}`,
}))

function Form({ site, name, onClose }: CreateRecordProps) {
  const { data, error: problem, refetch } = useQuery(dnsPlanQuery(site, name))
  const [replace, setReplace] = useState(false)
  const client = useQueryClient()
  const removed = (data?.records ?? [])
    .filter(({ action }) => action === 'remove')
    .map(({ type, content }) => ({ name: data?.name ?? name, type, content }))
  const removes = removed.length > 0
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      setDnsRecords(site, { name: data?.name ?? name, replace: replace ? removed : [] }),
    onError: () => void refetch(),
    async onSuccess() {
      toast(`The DNS records of ${unicodeOf(name)} point to the server.`)
      await client.invalidateQueries({ queryKey: domainStatesQuery(site).queryKey })
      onClose()
    },
  })
  const changes = data?.records.some(({ action }) => action !== 'keep') ?? false
  return (
    <DialogForm
      action={changes ? 'Create record' : undefined}
      onSubmit={() => mutate()}
      onCancel={onClose}
      cancel={changes ? 'Cancel' : 'Close'}
      isBlocked={removes && !replace}
      isBusy={isPending}
      error={error}
    >
      <QueryState of={{ data, error: problem, refetch }} rows={2} />
      {data && <Records plan={data} />}
      {removes && (
        <CheckField
          label="Replace the records that point elsewhere"
          about="Visitors of the current address reach this server instead."
          checked={replace}
          onChange={setReplace}
        />
      )}
    </DialogForm>
  )
}

const ACTIONS = { keep: 'Stays', create: 'Create', remove: 'Remove' } as const

function Records({ plan: { zone, account, records } }: { plan: DnsRecordPlan }) {
  return (
    <>
      <p className="text-muted">
        In the zone {unicodeOf(zone)} of {account}:
      </p>
      <ul className="flex flex-col gap-1">
        {records.map(({ action, type, content, proxied }) => (
          <li key={`${type} ${content}`} className="break-all">
            {ACTIONS[action]} {type} <span className="font-mono text-xs">{content}</span>
            {proxied && ' (proxied)'}
          </li>
        ))}
      </ul>
    </>
  )
}

const PAUSE_MS = 500

interface EditDomainsProps extends DialogState {
  site: Site
  domains: SiteDomains
}

/** Aliases and redirects: the plan follows a pause in typing. */
function EditDomains({ site, domains, ...dialog }: EditDomainsProps) {
  const { primary } = domains
  const [draft, setDraft] = useState(() => draftOf(domains))
  const settled = useDebounced(draft, PAUSE_MS)
  const { mistakes } = namesOf(primary, draft)
  const { names } = namesOf(primary, settled)
  const all = names ? allNamesOf({ domain: primary, names: SiteNames.parse(names) }) : []
  const records = useDnsChoice(site.server_id, dialog.open ? all : [])
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const [, other] = pairOf(primary)
  return (
    <WorkDialog
      {...dialog}
      title={`Domains of ${primary}`}
      about="Point the DNS records of each name to this server first, so that it gets a certificate."
      site={site}
      work={
        draft === settled && names && !records.isOpen
          ? setDomains(site, { ...names, ...records.chosen })
          : undefined
      }
      action="Save domains"
    >
      {other !== undefined && (
        <CheckField
          label={`Redirect ${other} to ${primary}`}
          about="Otherwise both names show the site."
          checked={draft.redirectsWww}
          onChange={(redirectsWww) => change({ redirectsWww })}
        />
      )}
      <TextAreaField
        label="Aliases"
        name="aliases"
        hint="One name in each line, exactly as visitors type it: example.net and www.example.net are two names, and *.example.net is every name below example.net."
        error={mistakes.aliases}
        value={draft.aliases}
        autoCapitalize="none"
        onChange={(aliases) => change({ aliases })}
      />
      <RedirectRows
        primary={primary}
        value={draft.redirects}
        onChange={(redirects) => change({ redirects })}
        mistake={mistakes.redirects}
      />
      {records.fields}
    </WorkDialog>
  )
}

interface RedirectRowsProps {
  primary: string
  value: DraftRedirect[]
  onChange: (rows: DraftRedirect[]) => void
  mistake: string | undefined
}

/** One row for each redirect. */
function RedirectRows({ primary, value, onChange, mistake }: RedirectRowsProps) {
  const change = (row: DraftRedirect) =>
    onChange(value.map((each) => (each.key === row.key ? row : each)))
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1.5 font-medium">Redirects</legend>
      {value.map((row) => (
        <Row
          key={row.key}
          row={row}
          primary={primary}
          onChange={change}
          onRemove={() => onChange(value.filter(({ key }) => key !== row.key))}
        />
      ))}
      <Mistake of={mistake} />
      <div>
        <Button icon={<Plus />} onClick={() => onChange([...value, emptyRedirect(value)])}>
          Add redirect
        </Button>
      </div>
    </fieldset>
  )
}

const REDIRECT_TYPES = [
  { value: true, name: '301, permanent' },
  { value: false, name: '302, temporary' },
]

interface RowProps {
  row: DraftRedirect
  primary: string
  onChange: (row: DraftRedirect) => void
  onRemove: () => void
}

function Row({ row, primary, onChange, onRemove }: RowProps) {
  const set = (part: Partial<DraftRedirect>) => onChange({ ...row, ...part })
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Redirect from"
          name={`from-${row.key}`}
          value={row.domain}
          placeholder="old.example.com"
          autoCapitalize="none"
          inputMode="url"
          onChange={(domain) => set({ domain })}
        />
        <TextField
          label="To"
          name={`to-${row.key}`}
          value={row.to}
          placeholder={primary}
          autoCapitalize="none"
          inputMode="url"
          onChange={(to) => set({ to })}
        />
      </div>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <SelectField
          label="Type"
          name={`type-${row.key}`}
          value={row.isPermanent}
          options={REDIRECT_TYPES}
          onChange={(isPermanent) => set({ isPermanent })}
        />
        <CheckField
          label="Keep the path"
          checked={row.keepsPath}
          onChange={(keepsPath) => set({ keepsPath })}
        />
        <Button
          icon={<Trash2 />}
          aria-label={`Remove the redirect of ${row.domain || 'this row'}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
    </div>
  )
}
