import { createHash } from 'node:crypto'
import type { Message } from '#dashboard/features/alerts/mailer.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { SiteReport } from '#shared/reports/api/report.ts'
import { monthName } from '#shared/reports/months.ts'
import {
  partsOf,
  type ReportPart,
  type ReportTile,
  reportTitle,
  tilesOf,
  UTC_NOTE,
} from '#shared/reports/words.ts'
import type { Logo } from './branding.ts'

const LOGO_CID = 'logo@report'
const MAX_SUBJECT = 150

interface MailInput {
  report: SiteReport
  logo: Logo | undefined
  /** The address of the dashboard, to which answers go without another one. */
  from: string
  /** What tells two messages with the same content apart. */
  key: string
}

/** Makes the message with a report: HTML without remote content, and the same as plain text. */
export function reportMessage({ report, logo, from, key }: MailInput): Omit<Message, 'to'> {
  const { branding } = report
  const domain = unicodeOf(report.domain)
  const answers_to = branding.reply_to === '' ? from : branding.reply_to
  const agency = branding.name === '' ? 'your agency' : branding.name
  const footer = [
    `You get this report because ${agency} takes care of ${domain}.`,
    `Write to ${answers_to} if you have a question, or if you no longer want these reports.`,
  ]
  const content = { report, domain, footer, tiles: tilesOf(report), parts: partsOf(report) }
  const subject = `Report for ${domain}: ${monthName(report.month)}`
  const page = renderHtml(content, logo !== undefined)
  return {
    subject: subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT - 1)}…` : subject,
    text: renderText(content),
    html: page,
    images: logo ? [{ cid: LOGO_CID, ...logo }] : [],
    reply_to: answers_to,
    ...(branding.name !== '' && { from_name: branding.name }),
    id: createHash('sha256').update(`report ${key} ${page}`).digest('hex').slice(0, 32),
  }
}

interface MailContent {
  report: SiteReport
  domain: string
  tiles: readonly ReportTile[]
  parts: readonly ReportPart[]
  footer: readonly string[]
}

function renderText({ report, domain, tiles, parts, footer }: MailContent): string {
  const { branding } = report
  const lines = [
    ...(branding.name === '' ? [] : [branding.name, '']),
    reportTitle(report),
    domain,
    '',
    ...tiles.map(({ name, value, before }) => `${name}: ${value}${before ? ` (${before})` : ''}`),
    ...parts.flatMap(({ title, sentences, rows }) => [
      '',
      title.toUpperCase(),
      ...sentences,
      ...rows.map(({ name, value, at }) => `- ${at}: ${name}, ${value}`),
    ]),
    '',
    UTC_NOTE,
    ...(branding.closing === '' ? [] : ['', branding.closing]),
    '',
    '-- ',
    ...footer,
  ]
  return `${lines.join('\n')}\n`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '')

/** Escapes each value in a piece of HTML; a list is HTML already. */
function html(pieces: TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  return pieces
    .map((piece, place) => {
      const value = values[place] ?? ''
      return piece + (typeof value === 'string' ? escaped(value) : value.join(''))
    })
    .join('')
}

const FONT = 'font-family:Helvetica,Arial,sans-serif'
const TEXT = `${FONT};font-size:15px;line-height:22px;color:#1f2937`
const SMALL = `${FONT};font-size:13px;line-height:18px;color:#4b5563`

function renderHtml({ report, domain, tiles, parts, footer }: MailContent, has_logo: boolean) {
  const { branding } = report
  const { color, text_color, name, closing } = branding
  const logo = has_logo
    ? [
        html`<img src="cid:${LOGO_CID}" alt="${name}" style="display:block;max-width:200px;max-height:60px;width:auto;height:auto;background:#ffffff;padding:6px;border-radius:4px;margin-bottom:12px">`,
      ]
    : []
  const heading = html`<tr><td style="background:${color};color:${text_color};padding:24px">
${logo}<div style="${FONT};font-size:14px;color:${text_color}">${name}</div>
<h1 style="${FONT};font-size:22px;line-height:28px;margin:4px 0;color:${text_color}">${reportTitle(report)}</h1>
<div style="${FONT};font-size:15px;color:${text_color}">${domain}</div></td></tr>`
  const body = [renderTiles(tiles), ...parts.map(renderPart)].map(
    (part) => html`<tr><td style="padding:12px 24px">${[part]}</td></tr>`,
  )
  const closed =
    closing === ''
      ? []
      : [
          html`<tr><td style="padding:12px 24px;${TEXT}">${[escaped(closing).replaceAll('\n', '<br>')]}</td></tr>`,
        ]
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${reportTitle(report)}</title></head>
<body style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr><td align="center" style="padding:16px 8px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px;background:#ffffff;border-radius:8px;overflow:hidden">
${[heading]}
${body}
${closed}
<tr><td style="padding:16px 24px;border-top:1px solid #e5e7eb;${SMALL}">${[UTC_NOTE, ...footer].map((line) => html`<div>${line}</div>`)}</td></tr>
</table></td></tr></table></body></html>
`
}

/** Renders the figures in rows of two. */
function renderTiles(tiles: readonly ReportTile[]): string {
  const cells = tiles.map(
    ({ name, value, before }) =>
      html`<td width="50%" valign="top" style="padding:8px 0"><div style="${SMALL}">${name}</div><div style="${FONT};font-size:22px;line-height:28px;font-weight:bold;color:#111827">${value}</div><div style="${SMALL}">${before ?? ''}</div></td>`,
  )
  const rows = Array.from({ length: Math.ceil(cells.length / 2) }, (_, row) => {
    const [one = '', other = '<td></td>'] = cells.slice(2 * row, 2 * row + 2)
    return html`<tr>${[one, other]}</tr>`
  })
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows}</table>`
}

function renderPart({ title, sentences, rows }: ReportPart): string {
  const lines = rows.map(
    ({ name, value, at }) =>
      html`<tr><td style="padding:6px 8px 6px 0;border-top:1px solid #e5e7eb;${TEXT}">${name}</td><td style="padding:6px 8px 6px 0;border-top:1px solid #e5e7eb;${TEXT}">${value}</td><td align="right" style="padding:6px 0;border-top:1px solid #e5e7eb;${SMALL}">${at}</td></tr>`,
  )
  const table =
    lines.length === 0
      ? []
      : [
          html`<table width="100%" cellpadding="0" cellspacing="0" style="margin-top:8px">${lines}</table>`,
        ]
  return html`<h2 style="${FONT};font-size:17px;line-height:24px;margin:8px 0 4px;color:#111827">${title}</h2>
${sentences.map((sentence) => html`<div style="${TEXT}">${sentence}</div>`)}${table}`
}
