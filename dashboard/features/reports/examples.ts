import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const Branding = {
  name: 'Example Agency',
  color: '#1d4ed8',
  text_color: '#ffffff',
  reply_to: 'hello@agency.example',
  closing: 'Thank you for your trust.',
  logo: '/api/fleet/branding/logo?v=0f1e2d3c4b5a6978',
}

const ReportFigures = {
  uptime: { since: null, percent: 99.95, outages: 1, down_s: 1080, unknown_s: 0 },
  traffic: {
    since: null,
    days: 28,
    of_days: 28,
    requests: 184_000,
    server_errors: 12,
    response_ms: 220,
  },
  refused: { since: null, days: 28, of_days: 28, requests: 1210 },
  updates: { since: null, until: null, made: 1 },
  backups: { made: 28, proven: 4, not_proven: 0 },
}

const ReportUpdate = {
  kind: 'plugin',
  name: 'WooCommerce',
  from: '10.4.1',
  to: '10.4.2',
  at: '2026-02-12T05:20:00.000Z',
}

const ReportOutage = { from: '2026-02-03T04:05:00.000Z', to: '2026-02-03T04:23:00.000Z' }

const SentReport = {
  month: '2026-02',
  state: 'sent',
  at: AT,
  attempts: 1,
  recipients: ['owner@shop.example'],
  refused: [],
  answer: '250 2.0.0 Ok: queued as 4Xn2Yc0000',
}

export const REPORT_EXAMPLES = {
  Branding,
  ChangeBranding: {
    name: Branding.name,
    color: Branding.color,
    reply_to: Branding.reply_to,
    closing: Branding.closing,
  },
  ChangeLogo: { image: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9h' },
  ReportFigures,
  ReportUpdate,
  ReportOutage,
  SiteReport: {
    domain: 'shop.example',
    month: '2026-02',
    first_month: '2025-11',
    last_month: '2026-03',
    from: '2026-02-01T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
    complete: true,
    branding: Branding,
    figures: ReportFigures,
    previous: ReportFigures,
    updates: [ReportUpdate],
    outages: [ReportOutage],
    last_backup_at: '2026-02-28T02:10:00.000Z',
    last_proof: { at: '2026-02-25T03:40:00.000Z', proven: true },
  },
  ChangeReportMail: { enabled: true, recipients: ['owner@shop.example'] },
  ChangeRecipients: {
    targets: { tag: 'shop' },
    add: ['office@shop.example'],
    remove: ['owner@shop.example'],
    enable: true,
  },
  ChangedRecipients: {
    changed: [
      {
        site_id: 1,
        server_id: 1,
        domain: 'shop.example',
        enabled: true,
        recipients: ['office@shop.example'],
      },
    ],
    skipped: [{ site_id: 2, server_id: 1, domain: 'blog.example', reason: 'It has no address' }],
  },
  SentReport,
  ReportMail: {
    enabled: true,
    recipients: ['owner@shop.example'],
    next_at: LATER,
    can_send: true,
    sent: [SentReport],
  },
  SendReport: { month: '2026-02' },
}
