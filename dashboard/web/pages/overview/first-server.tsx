import { Plus, Server } from 'lucide-react'
import { WhatComes } from '#dashboard/web/pages/servers/list/what-comes.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'

/** Where everything begins: a dashboard that knows no server yet. */
export function FirstServer() {
  return (
    <Card>
      <Empty
        icon={<Server aria-hidden />}
        title="Add your first server"
        action={
          <ButtonLink to="/servers/new" kind="primary" icon={<Plus aria-hidden />}>
            Add a server
          </ButtonLink>
        }
      >
        All it takes is a Debian machine that you can log in to. This page then shows what needs
        you, over all of your servers and their sites.
      </Empty>
      <div className="mx-auto max-w-md pb-6">
        <WhatComes />
      </div>
    </Card>
  )
}
