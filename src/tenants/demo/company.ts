// The demo company: its branches, people and equipment. Days are numbers of days before today. story.ts tells what
// happens to them.

/** The day of the first records. What is older was recorded then. */
export const firstDay = 731

const [berlin, izmir, rotterdam, northwind] = [0, 1, 2, 3]

/** `storage`: the branch's places for equipment that nobody uses. The first is the branch's stock. Rotterdam's is
 *  created when equipment is first returned there. */
export const branches = [
  {
    values: {
      name: 'Head office Berlin',
      code: 'BER',
      type: 'headquarters',
      city: 'Berlin',
      country: 'DE',
      email: 'berlin@example.com',
      phone: '+49 30 5550100',
      address: 'Lindenstraße 12',
      contract_end: '2028-12-31',
    },
    storage: { 'IT store room': 'stock.berlin@example.com', 'Loan pool': 'loans.berlin@example.com' },
  },
  {
    values: {
      name: 'Branch İzmir',
      code: 'IZM',
      type: 'branch',
      city: 'İzmir',
      country: 'TR',
      email: 'izmir@example.com',
      phone: '+90 232 5550100',
      address: 'Kordon Caddesi 41',
      contract_end: '2027-06-30',
    },
    storage: { 'İzmir store room': 'stock.izmir@example.com' },
  },
  {
    values: {
      name: 'Warehouse Rotterdam',
      code: 'RTM',
      type: 'warehouse',
      city: 'Rotterdam',
      country: 'NL',
      email: 'rotterdam@example.com',
      phone: '+31 10 5550100',
      address: 'Waalhaven 7',
    },
    storage: {},
  },
  {
    values: {
      name: 'Northwind Consulting',
      code: 'NWC',
      type: 'client',
      city: 'London',
      country: 'GB',
      email: 'it@northwind.example',
      phone: '+44 20 5550100',
      contract_end: '2027-03-31',
    },
    storage: { 'Northwind stock': 'stock@northwind.example' },
  },
]

/** `items`: what the person receives from stock on the first day. */
export type Person = { branch: number; name: string; department: string; title: string; since: number; items: string }

type PersonRow = [branch: number, name: string, department: string, title: string, since: number, items?: string]

const personRows: PersonRow[] = [
  [berlin, 'Ada Sommer', 'Engineering', 'Head of engineering', 2790],
  [berlin, 'Jonas Weber', 'Engineering', 'Software engineer', 1900],
  [berlin, 'Lena Fischer', 'Finance', 'Accountant', 2520],
  [izmir, 'Elif Yıldız', 'Sales', 'Branch manager', 2940],
  [izmir, 'Çağrı Şahin', 'Support', 'Support engineer', 1395],
  [izmir, 'Deniz Aydın', 'Sales', 'Account manager', 1655],
  [rotterdam, 'Sanne de Vries', 'Logistics', 'Warehouse lead', 3385],
  [rotterdam, 'Bram Jansen', 'Logistics', 'Shift supervisor', 1000],
  [northwind, 'Grace Okafor', 'IT', 'IT manager', 2240],
  [northwind, 'Tom Barker', 'Consulting', 'Consultant', 1255],
  [berlin, 'Miriam Vogel', 'Human resources', 'HR manager', 2100],
  [berlin, 'Paul Schneider', 'Engineering', 'Software engineer', 1480],
  [berlin, 'Clara Neumann', 'Sales', 'Account manager', 1320],
  [berlin, 'Felix Braun', 'IT', 'System administrator', 1700],
  [berlin, 'Nora Lindqvist', 'Marketing', 'Designer', 1185],
  [izmir, 'Burak Demir', 'Support', 'Support engineer', 1110],
  [izmir, 'Selin Kaya', 'Finance', 'Accountant', 1760],
  [rotterdam, 'Pieter Bakker', 'Logistics', 'Driver', 2330],
  [rotterdam, 'Femke Visser', 'Logistics', 'Planner', 1570],
  [northwind, 'Amara Singh', 'Consulting', 'Consultant', 980],
  [berlin, 'Mehmet Arslan', 'Engineering', 'Software engineer', 655, 'TD-0044 TD-0048'],
  [berlin, 'Sofia Rossi', 'Marketing', 'Marketing manager', 600, 'TD-0045 TD-0049'],
  [izmir, 'Zeynep Çelik', 'Sales', 'Account manager', 548, 'TD-0046 TD-0052'],
  [rotterdam, 'Daan Mulder', 'Logistics', 'Driver', 500, 'TD-0053'],
  [berlin, 'Oskar Lehmann', 'IT', 'Support engineer', 455, 'TD-0047 TD-0050'],
  [northwind, 'Priya Nair', 'Consulting', 'Consultant', 410, 'NW-0105'],
  [berlin, 'Hannah Krüger', 'Engineering', 'Software engineer', 365, 'TD-0056 TD-0061 TD-0065'],
  [izmir, 'Emre Koç', 'Support', 'Support engineer', 300, 'TD-0057 TD-0066'],
  [berlin, 'Luca Moretti', 'Finance', 'Controller', 244, 'TD-0058 TD-0062 TD-0067'],
  [rotterdam, 'Lotte Smit', 'Logistics', 'Planner', 200, 'TD-0059'],
  [berlin, 'Yusuf Kaplan', 'Engineering', 'Software engineer', 128, 'TD-0069 TD-0073 TD-0077'],
  [northwind, 'Ben Carter', 'Consulting', 'Consultant', 84, 'NW-0106'],
  [izmir, 'İrem Öztürk', 'Sales', 'Account manager', 41, 'TD-0081 TD-0074'],
  [berlin, 'Jana Wolff', 'Human resources', 'Recruiter', 12, 'TD-0021 TD-0051'],
]

export const people = personRows.map(([branch, name, department, title, since, items = '']): Person => {
  return { branch, name, department, title, since, items }
})

export const remoteWorkers = ['Jonas Weber', 'Deniz Aydın', 'Tom Barker', 'Hannah Krüger']

/** `cost`: in cents. `warranty`: in days. `serial`: how the serial numbers begin. */
type Model = { type: string; manufacturer: string; model: string; cost: number; warranty: number; serial: string }
type ModelRow = [type: string, manufacturer: string, model: string, cost: number, years: number, serial: string]

const modelRows: ModelRow[] = [
  ['laptop', 'Lenovo', 'ThinkPad X1 Carbon', 189900, 3, 'PF-'],
  ['laptop', 'Lenovo', 'ThinkPad T14', 149900, 3, 'PF-'],
  ['laptop', 'Apple', 'MacBook Pro 14', 229900, 1, 'C02-'],
  ['laptop', 'HP', 'EliteBook 840', 139900, 3, '5CG-'],
  ['laptop', 'Dell', 'Latitude 7440', 159900, 3, '1S2-'],
  ['laptop', 'Dell', 'Latitude 7420', 129900, 3, '1S1-'],
  ['monitor', 'Dell', 'U2723QE', 54900, 3, 'CN-0V'],
  ['monitor', 'Dell', 'P2423D', 28900, 3, 'CN-0P'],
  ['phone', 'Samsung', 'Galaxy S24', 79900, 2, 'R5C-T'],
  ['phone', 'Samsung', 'Galaxy XCover 7', 42900, 2, 'R5C-X'],
  ['phone', 'Apple', 'iPhone 15', 89900, 1, 'DX3-'],
  ['tablet', 'Apple', 'iPad Air', 69900, 1, 'DMP-'],
  ['desktop', 'HP', 'ProDesk 600', 89900, 3, '8CC-'],
  ['peripheral', 'Jabra', 'Evolve2 65', 19900, 2, 'JB-'],
  ['peripheral', 'Lenovo', 'ThinkPad Universal Dock', 24900, 3, 'ZDK-'],
  ['peripheral', 'Zebra', 'DS3678', 99900, 3, 'ZB-'],
  ['printer', 'Brother', 'HL-L6400', 45900, 2, 'X3B-'],
  ['network', 'Cisco', 'Catalyst 9200', 329900, 5, 'FCW-'],
  ['network', 'Cisco', 'Catalyst 9120', 59900, 5, 'FJC-'],
  ['network', 'Huawei', 'E5785', 8900, 2, 'HU-'],
  ['server', 'HPE', 'ProLiant DL360', 689900, 3, 'SGH-'],
  ['vehicle', 'Ford', 'Transit Custom', 4125000, 4, 'NM0-'],
  ['tool', 'Bosch', 'GSR 18V', 18900, 3, 'BO-'],
  ['other', 'Epson', 'EB-FH52', 74900, 2, 'X6K-'],
]

export const models: ReadonlyMap<string, Model> = new Map(
  modelRows.map(([type, manufacturer, model, cost, years, serial]) => {
    return [model, { type, manufacturer, model, cost, warranty: 365 * years, serial }]
  }),
)

/** `holder`: the person or storage location that has the items first. `bought`: the day; what is bought together is
 *  recorded together. */
export type Purchase = { bought: number; model: string; holder: string; tags: string[]; name: string }

type PurchaseRow = [bought: number, model: string, holder: string, tags: string, name?: string]

/** In the order of their tags. */
const purchaseRows: PurchaseRow[] = [
  [610, 'ThinkPad X1 Carbon', 'Ada Sommer', 'TD-0001', 'Ada’s laptop'],
  [610, 'U2723QE', 'Ada Sommer', 'TD-0002', 'Monitor, desk 4'],
  [140, 'MacBook Pro 14', 'Jonas Weber', 'TD-0003', 'Jonas’s laptop'],
  [250, 'Galaxy S24', 'Jonas Weber', 'TD-0004', 'Phone, on call'],
  [1080, 'EliteBook 840', 'Lena Fischer', 'TD-0005', 'Lena’s laptop'],
  [900, 'HL-L6400', 'Lena Fischer', 'TD-0006', 'Printer, finance'],
  [320, 'ThinkPad T14', 'Elif Yıldız', 'TD-0007', 'Elif’s laptop'],
  [740, 'Transit Custom', 'Elif Yıldız', 'TD-0008', 'Van, İzmir'],
  [1200, 'ProDesk 600', 'Çağrı Şahin', 'TD-0009', 'Desktop, support 1'],
  [400, 'Evolve2 65', 'Çağrı Şahin', 'TD-0010', 'Headset, support 1'],
  [90, 'iPad Air', 'Deniz Aydın', 'TD-0011', 'Tablet, trade fairs'],
  [800, 'DS3678', 'Sanne de Vries', 'TD-0012', 'Scanner, gate A'],
  [1500, 'Catalyst 9200', 'Sanne de Vries', 'TD-0013', 'Switch, hall 2'],
  [1100, 'ProLiant DL360', 'Sanne de Vries', 'TD-0014', 'Server, Rotterdam'],
  [75, 'Galaxy XCover 7', 'Bram Jansen', 'TD-0015', 'Bram’s phone'],
  [500, 'GSR 18V', 'Bram Jansen', 'TD-0016', 'Cordless drill'],
  [900, 'ThinkPad T14', 'Miriam Vogel', 'TD-0017'],
  [1010, 'EliteBook 840', 'Paul Schneider', 'TD-0018'],
  [860, 'ThinkPad T14', 'Clara Neumann', 'TD-0019'],
  [820, 'ThinkPad X1 Carbon', 'Felix Braun', 'TD-0020'],
  [790, 'MacBook Pro 14', 'Nora Lindqvist', 'TD-0021'],
  [1065, 'EliteBook 840', 'Selin Kaya', 'TD-0022'],
  [840, 'ThinkPad T14', 'Burak Demir', 'TD-0023'],
  [690, 'Galaxy XCover 7', 'Pieter Bakker', 'TD-0024'],
  [1055, 'ThinkPad T14', 'Femke Visser', 'TD-0025'],
  [900, 'P2423D', 'Miriam Vogel', 'TD-0026'],
  [900, 'P2423D', 'Paul Schneider', 'TD-0027'],
  [820, 'U2723QE', 'Felix Braun', 'TD-0028'],
  [1250, 'ProDesk 600', 'IT store room', 'TD-0029'],
  [1290, 'Latitude 7420', 'Jonas Weber', 'TD-0030'],
  [695, 'Galaxy S24', 'Elif Yıldız', 'TD-0031'],
  [710, 'iPhone 15', 'Clara Neumann', 'TD-0032'],
  [1400, 'Catalyst 9200', 'Felix Braun', 'TD-0033', 'Switch, 1st floor'],
  [620, 'Catalyst 9120', 'Felix Braun', 'TD-0034 TD-0035'],
  [1150, 'HL-L6400', 'Miriam Vogel', 'TD-0036', 'Printer, 2nd floor'],
  [640, 'ThinkPad T14', 'Loan pool', 'TD-0037 TD-0038 TD-0039'],
  [640, 'EB-FH52', 'Loan pool', 'TD-0040', 'Projector 1'],
  [380, 'EB-FH52', 'Loan pool', 'TD-0041', 'Projector 2'],
  [380, 'E5785', 'Loan pool', 'TD-0042', 'Mobile hotspot'],
  [380, 'iPad Air', 'Loan pool', 'TD-0043'],
  [670, 'ThinkPad T14', 'IT store room', 'TD-0044 TD-0045 TD-0046 TD-0047'],
  [670, 'U2723QE', 'IT store room', 'TD-0048 TD-0049 TD-0050 TD-0051'],
  [590, 'Galaxy S24', 'IT store room', 'TD-0052 TD-0054 TD-0055'],
  [590, 'Galaxy XCover 7', 'IT store room', 'TD-0053'],
  [395, 'ThinkPad T14', 'IT store room', 'TD-0056 TD-0057 TD-0058 TD-0059 TD-0060'],
  [395, 'U2723QE', 'IT store room', 'TD-0061 TD-0062 TD-0063 TD-0064'],
  [395, 'Evolve2 65', 'IT store room', 'TD-0065 TD-0066 TD-0067 TD-0068'],
  [150, 'MacBook Pro 14', 'IT store room', 'TD-0069 TD-0070 TD-0071'],
  [150, 'Galaxy S24', 'IT store room', 'TD-0073 TD-0074 TD-0075'],
  [150, 'ThinkPad Universal Dock', 'IT store room', 'TD-0077 TD-0078 TD-0079'],
  [310, 'EliteBook 840', 'İzmir store room', 'TD-0081 TD-0082'],
  [310, 'P2423D', 'İzmir store room', 'TD-0083'],
  [300, 'DS3678', 'Sanne de Vries', 'TD-0084', 'Scanner, gate B'],
  [210, 'Latitude 7440', 'Grace Okafor', 'NW-0101', 'Grace’s laptop'],
  [210, 'Latitude 7440', 'Tom Barker', 'NW-0102', 'Tom’s laptop'],
  [1300, 'Latitude 7420', 'Northwind stock', 'NW-0103', 'Spare laptop'],
  [210, 'Galaxy S24', 'Tom Barker', 'NW-0104', 'Tom’s phone'],
  [430, 'Latitude 7440', 'Northwind stock', 'NW-0105'],
  [210, 'Latitude 7440', 'Northwind stock', 'NW-0106'],
  [900, 'Latitude 7420', 'Amara Singh', 'NW-0107'],
]

export const purchases = purchaseRows.map(([bought, model, holder, tags, name = '']): Purchase => {
  return { bought, model, holder, tags: tags.split(' '), name }
})

/** What people borrow, apart from what the loan pool has. */
export const loanItems = ['TD-0004', 'TD-0011']
