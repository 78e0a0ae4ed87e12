import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { openEnrolment } from '#dashboard/web/api/enrolment.ts'
import { createServer } from '#dashboard/web/api/servers.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { ServerFields } from './server-fields.tsx'
import { NEW_SERVER, useServerForm } from './use-server-form.ts'
import { WhatComes } from './what-comes.tsx'

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
  const trail = <ListLink to="/servers" />
  return (
    <Page title="Add a server" trail={trail}>
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
        <WhatComes />
      </div>
    </Page>
  )
}
