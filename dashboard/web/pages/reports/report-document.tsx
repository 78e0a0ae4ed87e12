import type { ReactNode } from 'react'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { Branding } from '#shared/reports/api/branding.ts'
import type { SiteReport } from '#shared/reports/api/report.ts'
import {
  partsOf,
  type ReportPart,
  type ReportTile,
  reportTitle,
  tilesOf,
  UTC_NOTE,
} from '#shared/reports/words.ts'

/** The document for the client, in the colours of paper in every theme. */
export function ReportDocument({ report }: { report: SiteReport }) {
  const { branding, complete } = report
  return (
    <article
      aria-label={reportTitle(report)}
      className="paper print-page mx-auto w-full max-w-3xl overflow-hidden rounded-xl border border-line bg-surface text-text"
    >
      <Letterhead branding={branding}>
        <h2 className="text-2xl font-semibold tracking-tight">{reportTitle(report)}</h2>
        <p className="mt-1 text-base break-words">{unicodeOf(report.domain)}</p>
        {!complete && <p className="mt-1">The month is not over: these are the figures so far.</p>}
      </Letterhead>
      <div className="flex flex-col gap-7 p-5 sm:p-8 print:gap-5 print:px-0 print:py-5">
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {tilesOf(report).map((tile) => (
            <Tile key={tile.name} {...tile} />
          ))}
        </dl>
        {partsOf(report).map((part) => (
          <Part key={part.title} {...part} />
        ))}
        {branding.closing !== '' && (
          <p className="break-inside-avoid whitespace-pre-line break-words">{branding.closing}</p>
        )}
        <footer className="border-t border-line pt-4 text-xs text-muted">
          <p>{UTC_NOTE}</p>
          {branding.reply_to !== '' && <p>Questions? Write to {branding.reply_to}.</p>}
        </footer>
      </div>
    </article>
  )
}

interface LetterheadProps {
  branding: Pick<Branding, 'name' | 'color' | 'text_color' | 'logo'>
  children: ReactNode
}

/** The agency's logo, name and colour, with a readable text on it. */
export function Letterhead({ branding, children }: LetterheadProps) {
  const { name, color, text_color, logo } = branding
  return (
    <header
      style={{ backgroundColor: color, color: text_color }}
      className="flex flex-col gap-4 p-5 sm:p-8 print:p-6"
    >
      {(logo !== null || name !== '') && (
        <div className="flex flex-wrap items-center gap-3">
          {logo !== null && (
            <img
              src={logo}
              alt={name === '' ? 'Logo' : `Logo of ${name}`}
              className="max-h-14 max-w-48 rounded bg-white object-contain p-1.5"
            />
          )}
          {name !== '' && <p className="text-base font-medium break-words">{name}</p>}
        </div>
      )}
      <div>{children}</div>
    </header>
  )
}

function Tile({ name, value, before }: ReportTile) {
  return (
    <div className="flex break-inside-avoid flex-col rounded-lg bg-sunken p-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-1 text-xl font-semibold tabular-nums">{value}</dd>
      {before !== null && <dd className="text-xs text-muted">{before}</dd>}
    </div>
  )
}

function Part({ title, sentences, rows }: ReportPart) {
  return (
    <section>
      <div className="break-inside-avoid">
        <h3 className="mb-1 break-after-avoid text-base font-semibold">{title}</h3>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      {rows.length > 0 && (
        <ul className="mt-3 divide-y divide-line border-y border-line">
          {rows.map(({ name, value, at }) => (
            <li
              key={`${name} ${value} ${at}`}
              className="grid break-inside-avoid gap-x-4 py-1.5 sm:grid-cols-[1fr_1fr_auto] print:grid-cols-[1fr_1fr_auto]"
            >
              <span className="min-w-0 font-medium break-words">{name}</span>
              <span className="min-w-0 break-words tabular-nums">{value}</span>
              <span className="text-muted">{at}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
