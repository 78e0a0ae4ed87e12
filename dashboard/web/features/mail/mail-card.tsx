import { useQuery } from '@tanstack/react-query'
import { Mail, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { type MailState, type MailTarget, mailQuery } from '#dashboard/web/api/mail.ts'
import { REWRITE_WORDS, relayWords, silence } from '#dashboard/web/labels/mail.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail.ts'
import { MailForm } from './mail-form.tsx'
import { MailQueues } from './mail-queues.tsx'
import { MailTest } from './mail-test.tsx'

interface MailCardProps {
  target: MailTarget
  /** Of the server or the site. */
  name: string
}

/** The relay of a server or a site, and the mail queue. */
export function MailCard({ target, name }: MailCardProps) {
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
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && <State state={data} isSite={target.site_id !== undefined} />}
      {data && <MailForm {...dialog} setting={data.setting} open={open === 'form'} />}
      <MailTest {...dialog} open={open === 'test'} />
    </Card>
  )
}

function State({ state, isSite }: { state: MailState; isSite: boolean }) {
  const reason = silence(state)
  return (
    <div className="flex flex-col gap-4">
      {reason && (
        <Notice kind="warn" title={reason}>
          Password resets, orders and forms of {isSite ? 'this site' : 'its sites'} reach nobody.
        </Notice>
      )}
      {state.sends && <Where state={state} />}
      {state.sends && state.running === false && (
        <Notice kind="bad" title="The mail queue of this server is not running">
          Sites cannot send mail. Save the mail settings again to start it.
        </Notice>
      )}
      <MailQueues sites={state.sites} isSite={isSite} />
    </div>
  )
}

function Where({ state: { setting, server } }: { state: MailState }) {
  const own = relayWords(setting)
  const inherited = server && relayWords(server)
  const from = setting.from_address ?? server?.from_address
  const rewrite = setting.rewrite_from ?? server?.rewrite_from ?? DEFAULT_REWRITE
  const limit = setting.hourly_limit ?? server?.hourly_limit ?? DEFAULT_HOURLY_LIMIT
  return (
    <Facts
      of={{
        Relay: own ?? `${inherited} (from the server)`,
        Sender: from ?? 'as set by the site',
        'Replaced in From': REWRITE_WORDS[rewrite],
        Limit: `${formatNumber(limit)} recipients an hour${server ? '' : ' for each site'}`,
      }}
    />
  )
}
