import { Inbox, RotateCw, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, ButtonLink, IconButton } from '#dashboard/web/ui/button.tsx'
import { Check, CheckField } from '#dashboard/web/ui/check.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Meter } from '#dashboard/web/ui/meter.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { SortHead } from '#dashboard/web/ui/sort-head.tsx'
import { Empty, Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { Badge, Status, TONES } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { Plan } from '#shared/kernel/plan.ts'

/** The components of the UI in all their forms, to look at when one changes. */
export function ComponentsPage() {
  return (
    <Page title="Components" about="The colours, type and controls that the pages are made of.">
      <div
        data-examples
        className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-2"
      >
        <Colours />
        <States />
        <Actions />
        <Inputs />
        <Messages />
        <Tables />
        <TabsExample />
        <FiltersExample />
      </div>
    </Page>
  )
}

const options = (...names: string[]) => names.map((name) => ({ value: name, name }))

function FiltersExample() {
  const [values, setValues] = useState<Values>({ tier: 'small,medium' })
  return (
    <Card title="Filters">
      <FilterBar
        page="components"
        filters={[
          { name: 'tier', label: 'Tier', options: options('small', 'medium'), isMany: true },
          { name: 'server', label: 'Server', options: options('web-1', 'web-2') },
        ]}
        values={values}
        onChange={(change) => setValues({ ...values, ...change })}
      />
    </Card>
  )
}

function TabsExample() {
  const [value, setValue] = useState<'overview' | 'activity'>('overview')
  return (
    <Card title="Tabs">
      <Tabs
        label="Parts of shop.example.com"
        value={value}
        onChange={setValue}
        groups={[
          {
            name: '',
            tabs: [{ value: 'overview', name: 'Overview', content: <p>Details and health</p> }],
          },
          {
            name: 'Monitoring',
            tabs: [{ value: 'activity', name: 'Activity', content: <p>Who did what</p> }],
          },
        ]}
      />
    </Card>
  )
}

function Messages() {
  return (
    <Card title="Messages">
      <div className="flex flex-col gap-3">
        <Notice kind="info" title="A new version is available" actions={<Button>Reload</Button>} />
        <Notice kind="wait" title="The server is offline">
          The operation starts when the agent answers again.
        </Notice>
        <Notice kind="warn" title="No mail relay is configured">
          Mail of this site is not sent.
        </Notice>
        <Notice kind="bad" title="The site is down">
          PHP does not answer. Restart PHP, or look at its log.
        </Notice>
        <Failure error={new Error('The dashboard cannot be reached')} onRetry={() => undefined} />
        <Empty icon={<Inbox />} title="No sites" action={<Button>Create site</Button>}>
          Sites that you create or that are found on your servers are listed here.
        </Empty>
        <Skeleton rows={2} />
      </div>
    </Card>
  )
}

const TIERS = ['small', 'medium', 'large'].map((value) => ({ value, name: value }))

function Inputs() {
  const [tier, setTier] = useState('medium')
  const [checked, setChecked] = useState(true)
  return (
    <Card title="Inputs">
      <div className="flex flex-col gap-4">
        <Field label="Domain" name="domain" hint="Without www">
          <Input placeholder="shop.example.com" />
        </Field>
        <Field label="Domain" name="taken" error="The domain is already taken">
          <Input defaultValue="shop.example.com" />
        </Field>
        <Field label="Tier" name="tier">
          <Select defaultValue="medium">
            {TIERS.map(({ value }) => (
              <option key={value}>{value}</option>
            ))}
          </Select>
        </Field>
      </div>
      <Row name="Segments">
        <Segments label="Tier" choices={TIERS} value={tier} onChange={setTier} />
      </Row>
      <Row name="Filter">
        <FilterSelect
          name="Any tier"
          value={undefined}
          options={TIERS}
          onChange={() => undefined}
        />
        <FilterSelect name="Any status" value="small" options={TIERS} onChange={() => undefined} />
      </Row>
      <Row name="Check">
        <Check name="Select web-1" checked={checked} onChange={setChecked} />
        <Check name="Select all" checked={false} mixed onChange={() => undefined} />
        <CheckField label="Also end all API tokens" checked={checked} onChange={setChecked} />
      </Row>
    </Card>
  )
}

const ROWS = [
  { domain: 'blog.example.com', php: '8.4', status: 'active' },
  { domain: 'shop.example.com', php: '8.2', status: 'suspended' },
]

function Tables() {
  const [order, setOrder] = useState<'asc' | 'desc'>('asc')
  const rows = order === 'asc' ? ROWS : ROWS.toReversed()
  const head = (
    <>
      <SortHead order={order} onSort={setOrder}>
        Domain
      </SortHead>
      <Head>PHP</Head>
      <Head>Status</Head>
    </>
  )
  return (
    <div className="flex flex-col gap-5">
      <Card title="Table" flush>
        <Table label="Example sites" head={head}>
          {rows.map(({ domain, php, status }) => (
            <tr key={domain}>
              <Cell>{domain}</Cell>
              <Cell>{php}</Cell>
              <Cell>
                <Status value={status} />
              </Cell>
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Details">
        <Facts of={{ Server: 'web-1.example.net', PHP: '8.4', Tier: 'medium' }} />
      </Card>
    </div>
  )
}

function Actions() {
  return (
    <Card title="Actions">
      <Row name="Button">
        <Button kind="primary">Create site</Button>
        <Button>Scan site</Button>
        <Button kind="quiet">Hide log</Button>
        <Button kind="danger">Delete permanently</Button>
      </Row>
      <Row name="Busy, disabled">
        <Button kind="primary" busy>
          Create site
        </Button>
        <Button disabled>Scan site</Button>
        <Button icon={<RotateCw />}>Retry</Button>
      </Row>
      <Row name="Link, icon, menu">
        <ButtonLink to="/docs/components">Open page</ButtonLink>
        <IconButton name="Retry" icon={<RotateCw />} />
        <Copy text="shop.example.com" what="the domain" />
        <Menu name="More actions">
          <MenuItem icon={<RotateCw />} onClick={() => undefined}>
            Retry
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onClick={() => undefined}>
            Delete site
          </MenuItem>
        </Menu>
      </Row>
      <Row name="Toast">
        <Button onClick={() => toast('The site was created')}>Show success</Button>
        <Button onClick={() => toast('The site could not be created', { error: true })}>
          Show error
        </Button>
        <Button
          onClick={() =>
            toast('Moving shop.example.com to the trash', {
              undo: { name: 'Undo', act: () => undefined },
            })
          }
        >
          Show undo
        </Button>
      </Row>
      <Row name="Dialog">
        <Question />
      </Row>
      <Row name="Key">
        <Kbd>Ctrl</Kbd>
        <Kbd>K</Kbd>
      </Row>
    </Card>
  )
}

const PLAN: Plan = {
  steps: [
    {
      name: 'files',
      title: 'Deleting the files',
      effects: [{ action: 'remove', kind: 'folder', name: '/srv/www/shop' }],
    },
  ],
}

function Question() {
  const { dialog, show } = useDialog()
  return (
    <>
      <Button onClick={show}>Open dialog</Button>
      <Confirm
        {...dialog}
        title="Delete shop.example.com permanently?"
        action="Delete permanently"
        typed="shop.example.com"
        onConfirm={async () => undefined}
      >
        <p className="mb-3">Its files and its database cannot be restored.</p>
        <PlanSummary plan={PLAN} />
      </Confirm>
    </>
  )
}

const STATUSES = ['active', 'running', 'queued', 'pending', 'failed', 'offline', 'cancelled']
const SHARES = [0.42, 0.85, 0.97]

function States() {
  return (
    <Card title="States">
      <Row name="Badge">
        {Object.keys(TONES).map((tone) => (
          <Badge key={tone} tone={tone as keyof typeof TONES}>
            {tone}
          </Badge>
        ))}
      </Row>
      <Row name="Status">
        {STATUSES.map((value) => (
          <Status key={value} value={value} />
        ))}
      </Row>
      <Row name="Health">
        <HealthBadge state="up" />
        <HealthBadge state="degraded" reason="The certificate expires in 3 days" />
        <HealthBadge state="down" reason="PHP does not answer" />
        <HealthBadge state="unknown" />
      </Row>
      <Row name="Meter">
        {SHARES.map((share) => (
          <Meter key={share} share={share} className="w-36" />
        ))}
        <Meter share={0.6} isOld className="w-36" />
      </Row>
      <Row name="Progress">
        <ProgressBar label="Sites" total={20} parts={{ good: 9, bad: 2, plain: 1, busy: 3 }} />
      </Row>
      <Row name="Time">
        <Time at="2026-01-01T12:00:00.000Z" />
        <Time at={null} />
      </Row>
    </Card>
  )
}

/** Whole class names: Tailwind finds them in the source. */
const COLOURS = {
  page: 'bg-page',
  surface: 'bg-surface',
  raised: 'bg-raised',
  sunken: 'bg-sunken',
  line: 'bg-line',
  'line-strong': 'bg-line-strong',
  text: 'bg-text',
  muted: 'bg-muted',
  accent: 'bg-accent',
  'accent-solid': 'bg-accent-solid',
  'accent-soft': 'bg-accent-soft',
  good: 'bg-good',
  'good-soft': 'bg-good-soft',
  'good-fill': 'bg-good-fill',
  warn: 'bg-warn',
  'warn-soft': 'bg-warn-soft',
  bad: 'bg-bad',
  'bad-soft': 'bg-bad-soft',
  'bad-fill': 'bg-bad-fill',
  'bad-solid': 'bg-bad-solid',
}

const TYPE = {
  'Page title': 'text-xl font-semibold tracking-tight',
  'Dialog title': 'text-base font-semibold',
  'Card title': 'font-semibold',
  Text: '',
  'Muted text': 'text-muted',
  'Small text': 'text-xs text-muted',
  Code: 'font-mono text-xs',
}

/** The tokens of tokens.css. */
function Colours() {
  return (
    <Card title="Colours and type">
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {Object.entries(COLOURS).map(([name, className]) => (
          <li key={name} className="flex items-center gap-2 text-xs">
            <span
              aria-hidden
              className={cx('size-6 shrink-0 rounded-md border border-line-strong', className)}
            />
            {name}
          </li>
        ))}
      </ul>
      <dl className="mt-5 flex flex-col gap-2">
        {Object.entries(TYPE).map(([name, className]) => (
          <div key={name} className="flex items-baseline gap-4">
            <dt className="w-24 shrink-0 text-xs text-muted">{name}</dt>
            <dd className={cx('min-w-0 break-words', className)}>
              shop.example.com uses 4.4 of 8.2 GB
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** The variants of one component in a row. */
function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-2 py-1.5">
      <p className="w-24 shrink-0 text-xs text-muted">{name}</p>
      <div className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-2">{children}</div>
    </div>
  )
}
