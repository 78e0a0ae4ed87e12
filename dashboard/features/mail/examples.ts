import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const relay = { host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'hosting' }

const MailSetting = {
  enabled: true,
  relay: { ...relay, has_password: true },
  from_address: 'noreply@example.com',
  rewrite_from: null,
  hourly_limit: 100,
  updated_at: AT,
}

const SiteMailCounts = {
  site_id: 7,
  domain: 'shop.example',
  queued: 1,
  caught: 0,
  oldest_at: AT,
  held: false,
  sent_hour: 3,
  sent_day: 41,
  failed_day: 1,
  refused_day: 0,
  last_sent_at: LATER,
  problem: null,
  failures: [
    {
      at: AT,
      recipient: 'nobody@example.org',
      answer: '550 5.1.1 No such user',
      expired: false,
    },
  ],
}

export const MAIL_EXAMPLES = {
  MailSettingView: MailSetting,
  ServerMailView: { setting: MailSetting, sends: true, running: true, sites: [SiteMailCounts] },
  SetMail: {
    relay: { ...relay, password: 'a password of the relay' },
    from_address: 'noreply@example.com',
    hourly_limit: 100,
  },
  SiteMailCounts,
  SiteMailView: {
    setting: { ...MailSetting, relay: null, from_address: 'shop@shop.example' },
    server: MailSetting,
    sends: true,
    running: true,
    counts: SiteMailCounts,
  },
  TestMail: { to: 'admin@example.com' },
  MailApplyComplete: { status: 'ok', relay: true },
  MailCheckComplete: { status: 'ok', answer: '250 2.0.0 Ok: queued as 4b1XyZ' },
}
