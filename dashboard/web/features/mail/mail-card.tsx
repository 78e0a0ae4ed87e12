import { useQuery } from '@tanstack/react-query'
import { Mail, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { type MailState, type MailTarget, mailQuery } from '#dashboard/web/api/mail.ts'
import { REWRITE_NAMES, reasonNotSent, relayName } from '#dashboard/web/labels/mail.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail/mail.ts'
import { MailForm } from './mail-form.tsx'
import { MailQueues } from './mail-queues.tsx'
import { MailTest } from './mail-test.tsx'

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
              <Button icon={<Mail />} onClick={() => setOpen('test')}>
                Send test message
              </Button>
            )}
            <Button icon={<Settings2 />} onClick={() => setOpen('form')}>
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
