import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const LogLine = {
  at: AT,
  level: 'error' as const,
  status: 500,
  text: '203.0.113.7 - - "GET /wp-login.php?key=[masked] HTTP/2.0" 500 512 "-" "Mozilla/5.0"',
  cut: false,
}
const LookedAt = { bytes: 1_048_576, files: 1, unread: 0, oldest_at: AT }
const Fatal = {
  kind: 'plugin' as const,
  slug: 'slider',
  count: 12,
  first_at: AT,
  last_at: LATER,
  text: 'PHP Fatal error:  Uncaught Error: Call to undefined function in /srv/www/shop/public/wp-content/plugins/slider/slider.php:7',
}

const SiteLog = { source: 'access', files: 3, bytes: 52_428_800, changed_at: AT }

export const LOG_EXAMPLES = {
  SiteLog,
  SiteLogs: { logs: [SiteLog], debug_until: LATER },
  LogLine,
  LookedAt,
  LogPage: { lines: [LogLine], next: '8a199b14c7c311b2.684286210', looked: LookedAt },
  Fatal,
  Fatals: { groups: [Fatal], is_complete: true, looked: LookedAt },
  SetDebugLog: { hours: 8 },
  WpDebugComplete: { status: 'ok', domain: 'shop.example', until: LATER },
  LogNews: { kind: 'line', message: '', line: LogLine },
}
