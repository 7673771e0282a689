// Runs reverse proxies with the configurations in deploy/. Each configuration is adapted to the ports, paths and
// certificate of a test.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after } from 'node:test'
import { eventually } from '../eventually.ts'
import { temporaryDirectory } from '../service.ts'
import { freePort } from './free-port.ts'

export const host = 'assets.example.com'

export type TlsProxy = { httpPort: number; send: Send; logged: () => string }
type ProxyResponse = { status: number; headers: Record<string, string>; text: string }
type Send = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<ProxyResponse>
type Layout = { folder: string; ports: { http: number; https: number; upstream: string } }

/** Each function writes a proxy's configuration for the test, and returns the command that runs it. */
const programs = {
  nginx: ({ folder, ports }: Layout) => {
    const site = readFileSync('deploy/nginx.conf', 'utf8')
      .replaceAll(/^ *listen \[::\].*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
      .replace('listen 443 ', `listen 127.0.0.1:${ports.https} `)
      .replaceAll(`/etc/letsencrypt/live/${host}`, folder)
      .replaceAll('/var/log/nginx', folder)
      .replace('127.0.0.1:8080', `127.0.0.1:${ports.upstream}`)
    const user = process.getuid?.() === 0 ? 'user root;' : ''
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const temporary = kinds.map((kind) => `${kind}_temp_path ${kind};`).join(' ')
    const main = `${user} pid nginx.pid; daemon off; events {} http { ${temporary} include site.conf; }`
    writeFileSync(join(folder, 'site.conf'), site)
    writeFileSync(join(folder, 'nginx.conf'), main)
    return ['nginx', '-p', folder, '-c', 'nginx.conf', '-e', join(folder, 'error.log')]
  },
  caddy: ({ folder, ports }: Layout) => {
    const site = readFileSync('deploy/Caddyfile', 'utf8')
      .replace(`\n${host} {`, `\nhttps://${host}:${ports.https} {\n\tbind 127.0.0.1\n\ttls fullchain.pem privkey.pem`)
      .replace('/var/log/caddy', folder)
      .replace('127.0.0.1:8080', `127.0.0.1:${ports.upstream}`)
    const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n`
    writeFileSync(join(folder, 'Caddyfile'), options + site)
    return ['caddy', 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile']
  },
}

export type ProxyName = keyof typeof programs
export const proxyNames = Object.keys(programs) as ProxyName[]

export function isInstalled(name: ProxyName): boolean {
  return spawnSync(name, [name === 'nginx' ? '-v' : 'version']).status === 0
}

/** Starts a proxy in front of the server at this address, and waits until it listens. */
export async function startTlsProxy(name: ProxyName, upstream: string): Promise<TlsProxy> {
  const folder = temporaryDirectory()
  const ports = { http: await freePort(), https: await freePort(), upstream: new URL(upstream).port }
  createCertificate(folder)
  const [command, ...args] = programs[name]({ folder, ports })
  const env = { ...process.env, HOME: folder }
  const child = spawn(command!, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  after(() => child.kill('SIGTERM'))
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const send = senderTo(ports.https, readFileSync(join(folder, 'fullchain.pem')))
  await eventually(`${name} listens`, () => {
    if (child.exitCode !== null) throw new Error(stderr)
    return send('GET', '/healthz').catch(() => null)
  })
  return { httpPort: ports.http, send, logged: () => readFileSync(join(folder, 'tenantdesk.log'), 'utf8') }
}

function createCertificate(folder: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'privkey.pem']
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  const options = { cwd: folder, stdio: 'pipe' } as const
  execFileSync('openssl', ['req', '-x509', ...key, ...name, '-days', '2', '-out', 'fullchain.pem'], options)
}

/** A function that sends requests to a local port, with the host name of the certificate. */
function senderTo(port: number, ca: Buffer): Send {
  return (method, path, headers = {}, body = undefined) =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, servername: host, ca, agent: false, method, path }
      const outgoing = request({ ...options, headers: { host: `${host}:${port}`, ...headers } }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode!, headers: response.headers as Record<string, string>, text })
      })
      outgoing.on('error', reject).end(body)
    })
}
