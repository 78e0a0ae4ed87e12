import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ListChecks, Plus } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError, messageOf } from '#dashboard/web/api/client.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { meQuery } from '#dashboard/web/api/session.ts'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import { useDnsChoice } from '#dashboard/web/features/sites/dns-choice.tsx'
import { SameNameNotice } from '#dashboard/web/features/sites/same-name-notice.tsx'
import { TIER_TEXTS, TLS_TEXTS } from '#dashboard/web/labels/site.ts'
import { Accept, consentsOf } from '#dashboard/web/ui/accept.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { isShort, PlanSteps, PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { Restricted, useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import type { Plan } from '#shared/kernel/plan.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { TIERS, TLS_MODES } from '#shared/kernel/values.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { defaultPhp } from '#shared/php/default-php.ts'
import { supportEnds } from '#shared/php/php-support.ts'
import { DomainField } from './domain-field.tsx'
import {
  type Draft,
  type Mistakes,
  mistakesIn,
  takeOnly,
  takeServer,
  draft as typed,
} from './draft.ts'
import { readCreateSearch } from './search.ts'
import { canTake, ServerChoice } from './server-choice.tsx'
import { type Creation, useCreation } from './use-creation.ts'

/** From a domain to a plan, and from the plan to a site. */
export function CreateSitePage() {
  return (
    <Page title="Create a site" trail={<ListLink to="/sites" />}>
      <Restricted to="operate" what="create sites" where="servers">
        <NewSite />
      </Restricted>
    </Page>
  )
}

function NewSite() {
  const server_id = useSearch({
    from: '/inside/sites/new',
    select: (raw) => readCreateSearch({ ...raw }).server_id,
  })
  const { data: me } = useQuery(meQuery)
  const form = useRef<HTMLFormElement>(null)
  const [isStrict, setStrict] = useState(false)
  const servers = useServers()
  const saved = typed.use()
  useEffect(() => takeServer(server_id), [server_id])
  useEffect(
    () => takeOnly(server_id === undefined ? servers.only : undefined),
    [server_id, servers.only],
  )
  const draft = { ...saved, server_id: saved.server_id ?? server_id ?? servers.only }
  const isLoading = servers.isLoading && draft.server_id === undefined
  const creation = useCreation(draft)
  const mistakes = mistakesIn(draft)
  const change = (news: Partial<Draft>) => {
    typed.set((before) => ({ ...before, ...news }))
    creation.forget()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setStrict(true)
    const [first] = Object.keys(mistakes)
    if (first) focusOn(form.current, first)
    else creation.plan((field) => focusOn(form.current, field))
  }
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <Card>
        <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
          <FormFields
            draft={draft}
            onChange={change}
            mistakes={mistakes}
            refusals={creation.refusals}
            isStrict={isStrict}
            email={me?.email ?? ''}
          />
          <Button
            type="submit"
            kind={creation.isPlanned ? 'plain' : 'primary'}
            icon={<ListChecks />}
            busy={creation.isPlanning}
            disabled={isLoading}
            className="self-start"
          >
            Review plan
          </Button>
        </form>
      </Card>
      <Card title="Plan" className="xl:sticky xl:top-19">
        {creation.isPlanned ? (
          <PlannedSite
            creation={creation}
            server={servers.all.find(({ id }) => id === draft.server_id)?.name ?? ''}
            onRefused={(field) => focusOn(form.current, field)}
          />
        ) : (
          <Empty icon={<ListChecks />} title="No plan yet">
            The plan lists every step, and each file, user and service that the site needs. The site
            is created after you have reviewed it.
          </Empty>
        )}
      </Card>
    </div>
  )
}

/** If there is only one choice, it is selected, as soon as the servers are known. */
function useServers() {
  const { data, isLoading } = useQuery(fleetQuery)
  const all = useOwn(data?.servers ?? [])
  const [first, ...others] = all.filter(canTake)
  return { isLoading, all, only: others.length === 0 ? first?.id : undefined }
}

/** Returns the servers on which the user may create sites. */
function useOwn(servers: readonly FleetServer[]): FleetServer[] {
  const may = useMay()
  return servers.filter(({ id }) => may('operate', { server_id: id }))
}

/** Moves the focus to the refused field. */
function focusOn(form: HTMLFormElement | null, field: string): void {
  // After the message has been drawn: it belongs to the field.
  setTimeout(() => {
    const named = form?.elements.namedItem(field)
    const control = named instanceof RadioNodeList ? named[0] : named
    if (control instanceof HTMLElement) control.focus()
  })
}

interface PlannedSiteProps {
  creation: Creation
  /** The name of the chosen one. */
  server: string
  onRefused: (field: string) => void
}

/** The plan of the site, and the button that creates it. */
function PlannedSite({ creation, server, onRefused }: PlannedSiteProps) {
  const { planned, error, isCreating, refusals } = creation
  const [accepted, setAccepted] = useState(false)
  const isOpen = consentsOf(planned?.plan).length > 0 && !accepted
  const place = useRef<HTMLElement>(null)
  // Keyboard users continue from the plan.
  useEffect(() => {
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'start' })
  }, [])
  const domain = planned?.site.domain
  const records = useDnsChoice(creation.server_id, domain === undefined ? [] : pairOf(domain))
  const isRefused = error !== null && Object.keys(refusals).length === 0
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label="The plan of the site"
      className="flex scroll-mt-32 flex-col gap-4 outline-none"
    >
      {planned && <Chosen site={planned.site} server={server} />}
      {planned && <SameNameNotice domain={planned.site.domain} also_on={planned.also_on} />}
      {planned && <Steps plan={planned.plan} />}
      {records.fields}
      {planned && <Accept plan={planned.plan} accepted={accepted} onChange={setAccepted} />}
      {!planned && <WithoutPlan error={error} />}
      {planned && isRefused && <Failure error={error} />}
      <div className="sticky bottom-0 -mx-4 -mb-4 flex justify-end rounded-b-xl border-t border-line bg-surface p-4">
        <Button
          kind="primary"
          icon={<Plus />}
          busy={isCreating}
          disabled={isOpen || records.isOpen}
          onClick={() => creation.create(onRefused, records.chosen)}
        >
          {planned ? 'Create site' : 'Create site without a plan'}
        </Button>
      </div>
    </section>
  )
}

/** A long plan is one line that opens. */
const Steps = ({ plan }: { plan: Plan }) =>
  isShort(plan) ? <PlanSteps plan={plan} /> : <PlanSummary plan={plan} />

type Planned = NonNullable<Creation['planned']>

function Chosen({ site, server }: { site: Planned['site']; server: string }) {
  const { domain, user, php, tier, tls, email } = site
  const spelled = unicodeOf(domain)
  return (
    <Facts
      of={{
        Domain: spelled === domain ? domain : `${spelled} (${domain})`,
        Server: server,
        'System user': <code className="text-xs">{user}</code>,
        PHP: php,
        Tier: tier,
        TLS: TLS_TEXTS[tls].name,
        'E-mail address': email,
      }}
    />
  )
}

function WithoutPlan({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.status === 409)
    return (
      <Notice kind="warn" title={messageOf(error)}>
        You can still create the site. Its steps are shown while they run.
      </Notice>
    )
  return (
    <Notice kind="wait" title="The server cannot be reached now">
      No plan is available. You can still create the site: the operation waits until the server is
      online, and fails after its deadline.
    </Notice>
  )
}

interface FormFieldsProps {
  draft: Draft
  onChange: (change: Partial<Draft>) => void
  /** What the dashboard would refuse. */
  mistakes: Mistakes
  /** The refusals of the dashboard. */
  refusals: Readonly<Record<string, string>>
  /** Shows all mistakes, not only those of visited fields. */
  isStrict: boolean
  /** The address of the signed-in user. */
  email: string
}

const TIER_OPTIONS = TIERS.map((value) => ({ value, name: value, about: TIER_TEXTS[value] }))
const TLS_OPTIONS = [...TLS_MODES].reverse().map((value) => ({ value, ...TLS_TEXTS[value] }))

/** The fields below the list of servers appear with it, so that none moves under the pointer. */
function FormFields({ draft, onChange, mistakes, refusals, ...props }: FormFieldsProps) {
  const { isStrict, email } = props
  const fleet = useQuery(fleetQuery)
  const servers = useOwn(fleet.data?.servers ?? [])
  const shown = isStrict ? { ...mistakes, ...refusals } : refusals
  return (
    <>
      <DomainField
        value={draft.domain}
        server_id={draft.server_id}
        onChange={(domain) => onChange({ domain })}
        mistake={mistakes.domain}
        refusal={refusals.domain}
        isStrict={isStrict}
      />
      {fleet.data ? (
        <>
          <ServerChoice
            servers={servers}
            value={draft.server_id}
            onChange={(server_id) => onChange({ server_id, php: '' })}
            error={shown.server_id}
          />
          <PhpField
            server_id={draft.server_id}
            value={draft.php}
            onChange={(php) => onChange({ php })}
            error={shown.php}
          />
          <Choice
            label="Tier"
            name="tier"
            value={draft.tier}
            options={TIER_OPTIONS}
            onChange={(tier) => onChange({ tier })}
          />
          <Choice
            label="TLS"
            name="tls"
            value={draft.tls}
            options={TLS_OPTIONS}
            onChange={(tls) => onChange({ tls })}
          />
          <TextField
            label="E-mail address"
            name="email"
            error={shown.email}
            hint="Of the WordPress administrator, and for notices about the certificate."
            type="email"
            value={draft.email}
            onChange={(next) => onChange({ email: next })}
            placeholder={email}
          />
        </>
      ) : (
        <QueryState of={fleet} rows={8} />
      )}
    </>
  )
}

interface PhpFieldProps {
  server_id: number | undefined
  /** Empty: the default. */
  value: string
  onChange: (php: string) => void
  error: string | undefined
}

/** One of the versions that the server has. */
function PhpField({ server_id = 0, value, onChange, error }: PhpFieldProps) {
  const { data: server } = useQuery({ ...serverQuery(server_id), enabled: server_id > 0 })
  const seesFleet = useMay()('read', 'fleet')
  const { data: settings } = useQuery({ ...settingsQuery, enabled: seesFleet })
  const versions = [...(server?.php_versions ?? [])].sort().reverse()
  const suggested = settings && defaultPhp(versions, settings.default_php, server?.os)
  return (
    <SelectField
      label="PHP version"
      name="php"
      error={error}
      hint={hintOf(server, versions, value)}
      value={value}
      options={[
        { value: '', name: suggested ? `${suggested} (the default)` : 'The default' },
        ...named(...versions.filter((version) => version !== suggested)),
      ]}
      onChange={onChange}
    />
  )
}

function hintOf(server: { os: string } | undefined, versions: string[], value: string): string {
  if (!server) return 'Choose a server to see its versions.'
  if (versions.length === 0)
    return 'The server has not reported its versions. It installs this one.'
  const ends = value && supportEnds(value, server.os)
  if (ends && Date.parse(ends) < Date.now()) return `PHP ${value} gets no security fixes any more.`
  return `The server has ${versions.join(', ')}.`
}

interface ChoiceProps<T extends string> {
  label: string
  name: string
  value: T
  options: readonly { value: T; name: string; about: string }[]
  onChange: (value: T) => void
}

/** One of a few choices, each with an explanation. */
function Choice<T extends string>({ label, name, value, ...props }: ChoiceProps<T>) {
  const { options, onChange } = props
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="grid gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'flex cursor-pointer gap-2.5 rounded-lg border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              option.value === value
                ? 'border-accent bg-accent-soft'
                : 'border-line-strong hover:bg-sunken',
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-label={option.name}
              aria-describedby={`${name}-${option.value}`}
              className="mt-0.5 size-4 shrink-0 accent-accent-solid outline-none"
            />
            <span className="min-w-0">
              <span className="block font-medium">{option.name}</span>
              <span id={`${name}-${option.value}`} className="block text-xs text-muted">
                {option.about}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
