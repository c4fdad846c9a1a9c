@main enum EmulatorCommand { static func main() {} }
