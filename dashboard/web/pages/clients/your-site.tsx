import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Archive, ExternalLink, LifeBuoy, LogIn } from 'lucide-react'
import { useState } from 'react'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { clientSiteQuery } from '#dashboard/web/api/clients.ts'
import { clientReportQuery } from '#dashboard/web/api/reports.ts'
import { ReportView } from '#dashboard/web/pages/reports/report-view.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Chart } from '#dashboard/web/ui/chart.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatBytes, formatDate, formatNumber, formatTime } from '#dashboard/web/ui/format.ts'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { type Column, RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { CLIENT_DAYS, type ClientSiteDetail } from '#shared/clients/api/clients.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { ClientState } from './client-state.tsx'
import { LoginDialog, RequestDialog, RestoreDialog } from './dialogs.tsx'
import { requestsText } from './your-sites.tsx'

type Backup = ClientSiteDetail['backups'][number]

/** One site of a client of the agency. */
export function YourSitePage() {
  const { site_id } = useParams({ from: '/inside/your-sites/$site_id' })
  const { data, error, refetch } = useQuery(clientSiteQuery(Number(site_id)))
  if (isNotFound(error)) return <NotFound />
  const title = data ? unicodeOf(data.domain) : 'Your site'
  return (
    <Page
      title={title}
      trail={
        <Link to="/your-sites" className="hover:underline">
          Your sites
        </Link>
      }
      about={data && <ClientState of={data} />}
      actions={data && <Actions site={data} />}
    >
      <QueryState of={{ data, error, refetch }} rows={8} />
      {data && <Parts site={data} />}
      {data && (
        <section aria-label="Monthly report" className="flex flex-col gap-4">
          <h2 className="text-base font-semibold">Monthly report</h2>
          <ReportView read={(month) => clientReportQuery(data.id, month)} />
        </section>
      )}
    </Page>
  )
}

/** What the client does on the site, and where it leads. */
function Actions({ site }: { site: ClientSiteDetail }) {
  const login = useDialog()
  const request = useDialog()
  return (
    <>
      {site.request === null && (
        <Button icon={<LifeBuoy />} onClick={request.show}>
          Ask for a restore
        </Button>
      )}
      {site.may.login && (
        <Button kind="primary" icon={<LogIn />} onClick={login.show}>
          Log in to WordPress
        </Button>
      )}
      <RequestDialog {...request.dialog} site={site} />
      <LoginDialog {...login.dialog} site={site} />
    </>
  )
}

const Parts = ({ site }: { site: ClientSiteDetail }) => (
  <>
    {site.request && <Request of={site.request} />}
    {site.restore && <Restore of={site.restore} />}
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Card title="Visitors">
        <Visitors site={site} />
      </Card>
      <Card title="Backups" flush>
        <Backups site={site} />
      </Card>
      <Card title="Updates">
        <Updates of={site.updates} />
      </Card>
      <Card title="Copies for tests">
        <Copies of={site.staging} />
      </Card>
      <Card title="People of yours">
        <PeopleOfYours site={site} />
      </Card>
    </div>
  </>
)

function Request({
  of: { at, note, backup_at },
}: {
  of: NonNullable<ClientSiteDetail['request']>
}) {
  const what = backup_at === null ? 'a backup' : `the backup of ${formatTime(backup_at)}`
  return (
    <Notice kind="wait" title={`Your agency was asked to restore ${what}`}>
      <p>
        Asked <Time at={at} />.
      </p>
      {note !== '' && <p className="whitespace-pre-line">{note}</p>}
    </Notice>
  )
}

const RESTORES = {
  running: { kind: 'wait', title: 'A backup is being restored' },
  done: { kind: 'info', title: 'A backup was restored' },
  failed: { kind: 'bad', title: 'The last restore did not succeed: ask your agency' },
} as const

function Restore({ of: { state, at } }: { of: NonNullable<ClientSiteDetail['restore']> }) {
  const { kind, title } = RESTORES[state]
  return (
    <Notice kind={kind} title={title}>
      <Time at={at} />
    </Notice>
  )
}

const DAY_S = 86_400

function Visitors({ site: { id, requests, pages, days } }: { site: ClientSiteDetail }) {
  if (pages === null) return <p className="text-muted">Visitors are not counted yet.</p>
  const at = days.map(({ day }) => Date.parse(day) / 1000)
  return (
    <div className="flex flex-col gap-3">
      <Facts
        of={{
          [`Pages shown in ${CLIENT_DAYS} days`]: formatNumber(pages),
          [`Requests in ${CLIENT_DAYS} days`]: requestsText(requests),
        }}
      />
      <Chart
        title="Pages shown a day"
        at={at}
        span={[at[0] ?? 0, (at.at(-1) ?? 0) + DAY_S]}
        series={[
          { name: 'Pages', tone: 'accent', values: days.map((day) => day.pages), isArea: true },
        ]}
        format={formatNumber}
        group={`your-site-${id}`}
      />
      <p className="text-muted">
        Search engines look at pages, too. Requests are those for pages and for images and other
        files.
      </p>
    </div>
  )
}

type UpdateRow = NonNullable<ClientSiteDetail['updates']>['made'][number]

function Updates({ of }: { of: ClientSiteDetail['updates'] }) {
  if (!of) return <p className="text-muted">The versions of this site are not known yet.</p>
  const { version, read_at, made, pending } = of
  return (
    <div className="flex flex-col gap-4">
      <Facts of={{ 'WordPress version': version, Checked: <Time at={read_at} /> }} />
      <UpdateList
        title={`Made in the last ${CLIENT_DAYS} days`}
        rows={made}
        none="No updates were made."
      />
      <UpdateList
        title="To be made"
        rows={pending ?? []}
        none={pending ? 'Everything is up to date.' : 'Not known at the moment.'}
      />
      <p className="text-muted">Your agency makes the updates.</p>
    </div>
  )
}

interface UpdateListProps {
  title: string
  rows: readonly (Omit<UpdateRow, 'at'> & Partial<Pick<UpdateRow, 'at'>>)[]
  none: string
}

const UpdateList = ({ title, rows, none }: UpdateListProps) => (
  <section className="flex flex-col gap-1.5">
    <h3 className="font-medium">{title}</h3>
    {rows.length === 0 && <p className="text-muted">{none}</p>}
    {rows.length > 0 && (
      <ul className="flex flex-col gap-1">
        {rows.map(({ kind, name, from, to, at }) => (
          <li key={`${kind} ${name} ${to} ${at}`} className="flex flex-wrap gap-x-2">
            <span className="min-w-0 break-words">{name}</span>
            <span className="text-muted">
              {from} → {to}
            </span>
            {at !== undefined && <span className="text-muted">{formatDate(at)}</span>}
          </li>
        ))}
      </ul>
    )}
  </section>
)

function Copies({ of }: { of: ClientSiteDetail['staging'] }) {
  if (of.length === 0)
    return (
      <p className="text-muted">
        There is no copy. Your agency makes one to try changes before your visitors see them.
      </p>
    )
  return (
    <>
      <ul className="flex flex-col gap-2">
        {of.map(({ domain, url, made_at }) => (
          <li key={domain} className="flex flex-wrap gap-x-2">
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1.5 text-accent wrap-anywhere hover:underline"
            >
              {unicodeOf(domain)}
              <ExternalLink className="size-4 shrink-0" aria-hidden />
              <span className="sr-only">(opens a new tab)</span>
            </a>
            <span className="text-muted">made on {formatDate(made_at)}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted">Your agency has the password of these addresses.</p>
    </>
  )
}

function PeopleOfYours({ site: { people, file_accounts } }: { site: ClientSiteDetail }) {
  return (
    <>
      <ul className="flex flex-col gap-2">
        {people.map(({ name, since, is_you, files }) => (
          <li key={`${name} ${since}`} className="flex flex-wrap gap-x-2">
            <span className="font-medium break-words">{name}</span>
            {is_you && <span className="text-muted">(you)</span>}
            <span className="text-muted">since {formatDate(since)}</span>
            {files && <Badge>Can open the files</Badge>}
          </li>
        ))}
        {file_accounts.map(({ label, expires_at }) => (
          <li key={`${label} ${expires_at}`} className="flex flex-wrap gap-x-2">
            <span className="font-medium break-words">{label}</span>
            <span className="text-muted">
              opens the files with a password
              {expires_at !== null && ` until ${formatDate(expires_at)}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted">
        {people.length + file_accounts.length === 0 && 'Nobody of yours sees this site. '}
        Your agency adds and removes people.
      </p>
    </>
  )
}

function Backups({ site }: { site: ClientSiteDetail }) {
  const [chosen, setChosen] = useState<Backup>()
  const [isOpen, setOpen] = useState(false)
  if (site.backups.length === 0)
    return (
      <Empty icon={<Archive />} title="There are no backups yet">
        Ask your agency when the first one is made.
      </Empty>
    )
  const choose = (backup: Backup) => {
    setChosen(backup)
    setOpen(true)
  }
  const dialog = { site, open: isOpen, onClose: () => setOpen(false) }
  return (
    <>
      <RecordTable
        label="Backups"
        rows={site.backups}
        keyOf={({ id }) => id}
        columns={[...COLUMNS, ...(actionOf(site, choose) ?? [])]}
      />
      {chosen && site.may.restore && <RestoreDialog {...dialog} backup={chosen} />}
      {chosen && !site.may.restore && <RequestDialog {...dialog} chosen={chosen.id} />}
    </>
  )
}

const COLUMNS: readonly Column<Backup>[] = [
  {
    name: 'Time',
    show: ({ at, bytes }) => (
      <>
        <span className="font-medium">{formatTime(at)}</span>
        <p className="text-xs text-muted sm:hidden">{formatBytes(bytes)}</p>
      </>
    ),
  },
  {
    name: 'Size',
    isNumber: true,
    className: 'max-sm:hidden',
    show: ({ bytes }) => formatBytes(bytes),
  },
  {
    name: 'Test',
    show: ({ proven }) => {
      if (proven === null) return <span className="text-muted">Not tested yet</span>
      return proven ? <Badge tone="good">Tested</Badge> : <Badge tone="bad">Test failed</Badge>
    },
  },
]

/** Returns the column with the buttons; undefined while the agency has a request to answer. */
function actionOf(
  { may, request }: ClientSiteDetail,
  onChoose: (backup: Backup) => void,
): Column<Backup>[] | undefined {
  if (!may.restore && request !== null) return undefined
  const [name, verb] = may.restore ? ['Restore…', 'Restore'] : ['Ask for it…', 'Ask for']
  return [
    {
      name: 'Actions',
      isUnnamed: true,
      className: 'text-right',
      show: (backup) => (
        <Button
          aria-label={`${verb} the backup of ${formatTime(backup.at)}`}
          onClick={() => onChoose(backup)}
        >
          {name}
        </Button>
      ),
    },
  ]
}
