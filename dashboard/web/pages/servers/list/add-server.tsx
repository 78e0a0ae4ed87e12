import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { openEnrolment } from '#dashboard/web/api/enrolment.ts'
import { createServer } from '#dashboard/web/api/servers.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { Restricted } from '#dashboard/web/ui/rights.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { ServerFields } from './server-fields.tsx'
import { NEW_SERVER, useServerForm } from './use-server-form.ts'

/** Adds a server, then opens its page, which shows the install command. */
export function AddServerPage() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const form = useServerForm(NEW_SERVER, async (input) => {
    const server_id = await createServer(input)
    // Its page offers a retry.
    await openEnrolment(client, server_id).catch(() => undefined)
    void client.invalidateQueries({ queryKey: ['fleet'] })
    await navigate({
      to: '/servers/$server_id',
      params: { server_id: String(server_id) },
      replace: true,
    })
  })
  return (
    <Page title="Add a server" trail={<ListLink to="/servers" />}>
      <Restricted to="admin" what="add servers">
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,36rem)_minmax(0,24rem)]">
          <Card>
            <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
              <ServerFields form={form} />
              {form.error && <Failure error={form.error} />}
              <div className="flex justify-end gap-2">
                <ButtonLink to="/servers">Cancel</ButtonLink>
                <Button type="submit" kind="primary" busy={form.isPending}>
                  Add server
                </Button>
              </div>
            </form>
          </Card>
          <NextSteps />
        </div>
      </Restricted>
    </Page>
  )
}

const STEPS = [
  [
    'Paste one command',
    'The next page shows a command for a shell on the server, and a code to type.',
  ],
  [
    'The server comes online automatically',
    'The agent proves to the dashboard that it has the code.',
  ],
  [
    'Ready for sites',
    'nginx, PHP and MariaDB are installed with one click, or with the first site.',
  ],
] as const

/** The steps after this form. */
function NextSteps() {
  return (
    <section aria-label="What comes next" className="flex flex-col gap-4 p-1 text-muted lg:pt-4">
      <ol className="flex flex-col gap-4">
        {STEPS.map(([title, about], at) => (
          <li key={title} className="flex gap-3">
            <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
              {at + 1}
            </span>
            <span>
              <span className="block font-medium text-text">{title}</span>
              {about}
            </span>
          </li>
        ))}
      </ol>
      <p className="text-xs">
        The machine needs Debian 12 or 13, and its port 8443 open to the dashboard. Existing sites
        are discovered and not changed.
      </p>
    </section>
  )
}
