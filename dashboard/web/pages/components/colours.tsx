import { cx } from '#dashboard/web/ui/cx.ts'
import { Card } from '#dashboard/web/ui/page.tsx'

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
