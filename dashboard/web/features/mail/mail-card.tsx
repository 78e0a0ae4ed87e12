import { useQuery } from '@tanstack/react-query'
import { Mail, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { type MailState, type MailTarget, mailQuery, testMail } from '#dashboard/web/api/mail.ts'
import { REWRITE_NAMES, reasonNotSent, relayName } from '#dashboard/web/labels/mail.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { SiteLink, useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Lasting, Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { SiteMailCounts } from '#shared/mail/api/mail.ts'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail/mail.ts'
import { MailForm } from './mail-form.tsx'

/** The relay of a server or a site, and the mail queue. `name`: of the server or the site. */
export function MailCard({ target, name }: { target: MailTarget; name: string }) {
  const [open, setOpen] = useState<'form' | 'test'>()
  const { data, error, refetch } = useQuery(mailQuery(target))
  const dialog = { target, name, onClose: () => setOpen(undefined) }
  return (
    <Card
      title="Mail"
      actions={
        data && (
          <>
            {data.sends && (
              <Button needs="operate" icon={<Mail />} onClick={() => setOpen('test')}>
                Send test message
              </Button>
            )}
            <Button needs="admin" icon={<Settings2 />} onClick={() => setOpen('form')}>
              Change mail settings
            </Button>
          </>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} />
      {data && <State state={data} isSite={target.site_id !== undefined} />}
      {data && <MailForm {...dialog} setting={data.setting} open={open === 'form'} />}
      <MailTest {...dialog} open={open === 'test'} />
    </Card>
  )
}

function State({ state, isSite }: { state: MailState; isSite: boolean }) {
  const reason = reasonNotSent(state)
  return (
    <div className="flex flex-col gap-4">
      {reason && (
        <Notice kind="warn" title={reason}>
          Password resets, order confirmations and form messages of{' '}
          {isSite ? 'this site' : 'its sites'} are not delivered.
        </Notice>
      )}
      {state.sends && <RelayFacts state={state} />}
      {state.sends && state.running === false && (
        <Notice kind="bad" title="The mail queue of this server is not running">
          Sites cannot send mail. Save the mail settings again to start it.
        </Notice>
      )}
      <MailQueues sites={state.sites} isSite={isSite} />
    </div>
  )
}

function RelayFacts({ state: { setting, server } }: { state: MailState }) {
  const from = setting.from_address ?? server?.from_address
  const rewrite = setting.rewrite_from ?? server?.rewrite_from ?? DEFAULT_REWRITE
  const limit = setting.hourly_limit ?? server?.hourly_limit ?? DEFAULT_HOURLY_LIMIT
  return (
    <Facts
      of={{
        Relay: relayName(setting) ?? `${server && relayName(server)} (from the server)`,
        Sender: from ?? 'as set by the site',
        'Replaced in From': REWRITE_NAMES[rewrite],
        Limit: `${formatNumber(limit)} recipients an hour${server ? '' : ' for each site'}`,
      }}
    />
  )
}

interface MailTestProps extends DialogState {
  target: MailTarget
  name: string
}

/** Sends one message; the page of the operation shows the response of the relay. */
const MailTest = dialogOf(TestForm, ({ name }) => ({
  title: `Test the mail of ${name}`,
  about: 'Sends one message to the relay and shows every line of its response.',
}))

function TestForm({ target, onClose }: MailTestProps) {
  const [to, setTo] = useState('')
  const { form, refusals } = useFormCall(() => testMail(target, to.trim()), {
    fields: ['to'],
    onDone: useOpenOperation(),
    onClose,
  })
  return (
    <DialogForm action="Send test message" {...form} isBlocked={to.trim() === ''}>
      <TextField
        label="Recipient"
        name="to"
        hint="Such as your own address."
        error={refusals.to}
        type="email"
        autoComplete="email"
        value={to}
        onChange={setTo}
      />
    </DialogForm>
  )
}

/** The mail of the last day. `sites` is null while the agent does not report it. */
function MailQueues({ sites, isSite }: Pick<MailState, 'sites'> & { isSite: boolean }) {
  if (sites === null) return <p className="text-muted">The agent does not report the queue.</p>
  if (sites.length === 0) return <p className="text-muted">No mail in the last 24 hours.</p>
  return (
    <ul className="flex flex-col gap-4">
      {sites.map((site) => (
        <li key={site.domain} className="flex flex-col gap-2">
          {!isSite && <Name site={site} />}
          <Numbers site={site} />
          <Problems site={site} />
        </li>
      ))}
    </ul>
  )
}

function Name({ site: { site_id, domain } }: { site: SiteMailCounts }) {
  if (site_id === null) return <span className="font-medium">{unicodeOf(domain)}</span>
  return (
    <SiteLink id={site_id} className="font-medium hover:underline">
      {unicodeOf(domain)}
    </SiteLink>
  )
}

function Numbers({ site }: { site: SiteMailCounts }) {
  const { queued, caught, oldest_at, sent_day, failed_day, refused_day } = site
  return (
    <p className="text-muted">
      {caught > 0 && (
        <>
          <span className="text-text">{formatNumber(caught)} kept and not sent</span>,{' '}
        </>
      )}
      <span className="text-text">{formatNumber(queued)} waiting</span>
      {oldest_at !== null && (
        <>
          , the oldest <Lasting since={oldest_at} />
        </>
      )}
      , {formatNumber(sent_day)} sent, {formatNumber(failed_day)} undeliverable
      {refused_day > 0 && `, ${formatNumber(refused_day)} refused`} in the last 24 hours
    </p>
  )
}

function Problems({ site: { held, problem, failures } }: { site: SiteMailCounts }) {
  return (
    <>
      {held && (
        <Notice kind="wait" title="The hourly limit is reached">
          The rest is sent in the next hour.
        </Notice>
      )}
      {problem && (
        <Notice kind="bad" title="The relay does not accept mail">
          <span className="font-mono text-xs">{problem.answer}</span>, <Time at={problem.at} />. No
          message is lost. Delivery is retried automatically.
        </Notice>
      )}
      {failures.length > 0 && (
        <ul className="flex flex-col gap-1 text-xs" aria-label="Undelivered messages">
          {failures.slice(0, 5).map(({ at, recipient, answer }) => (
            <li key={`${at} ${recipient}`} className="break-words">
              <Time at={at} /> to {recipient}: <span className="font-mono">{answer}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
