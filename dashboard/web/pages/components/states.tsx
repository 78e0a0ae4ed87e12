import { cx } from '#dashboard/web/ui/cx.ts'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { Meter } from '#dashboard/web/ui/meter.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { Badge, Status, TONES } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { Row } from './row.tsx'

const STATUSES = ['active', 'running', 'queued', 'pending', 'failed', 'offline', 'cancelled']
const SHARES = [0.42, 0.85, 0.97]

export function States() {
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
export function Colours() {
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
